import type { PendingToolCall, SuccessfulOutcome } from "../../../agent/loop/agent-outcome.ts";
import { omitUndefined } from "../../../base/json.ts";
import type { ServiceError } from "../../../contract/errors.ts";
import type { ModelParameters, SuccessfulReply } from "../../../contract/ports/chat-model.ts";
import {
  opaqueFields,
  type ChatCompletion,
  type ChatCompletionRequest,
  type CompletionUsage,
} from "../../../contract/schemas/openai-chat.ts";
import { EventWriter } from "../../http/responses/event-writer.ts";
import { toOpenAiError } from "../../http/responses/error-response.ts";
import type { Turn } from "../turns/turn.ts";
import { toTurnError } from "../turns/turn-headers.ts";
import { isCutShort } from "./is-cut-short.ts";
import { createSpokenText } from "./spoken-text.ts";

/** Fields that are ours to read, or that mean nothing behind an agent. The rest goes to the provider as it came. */
const ownFields = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "functions",
  "function_call",
  "n",
  "temperature",
  "top_p",
  "max_tokens",
  "seed",
  "stop",
  "store",
  "metadata",
]);

export function toModelParameters(request: ChatCompletionRequest): ModelParameters {
  const extra = Object.entries(request).filter(([name, value]) => !ownFields.has(name) && value !== null);
  const { temperature, top_p, max_tokens, seed, stop, parallel_tool_calls } = request;
  return {
    ...(typeof temperature === "number" && { temperature }),
    ...(typeof top_p === "number" && { top_p }),
    ...(typeof max_tokens === "number" && { max_tokens }),
    ...(typeof seed === "number" && { seed }),
    ...(stop !== null && stop !== undefined && { stop }),
    ...(typeof parallel_tool_calls === "boolean" && { parallel_tool_calls }),
    ...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
  };
}

/** A finished turn as a chat completion. */
export function toChatCompletion(turn: Turn, outcome: SuccessfulOutcome, created: number): ChatCompletion {
  const { reply, pending_tool_calls: pending } = outcome;
  return {
    id: completionId(turn),
    object: "chat.completion",
    created,
    model: turn.resolved,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          // Where there is something else, an empty text would be taken for what the model said: clients look at it first.
          content: reply.text === "" && (pending.length > 0 || reply.refusal !== null) ? null : reply.text,
          refusal: reply.refusal,
          ...(reply.reasoning !== undefined && { reasoning_content: reply.reasoning }),
          ...(pending.length > 0 && { ...reasoningBefore(outcome), tool_calls: pending.map(toToolCall) }),
        },
        logprobs: reply.logprobs && { ...reply.logprobs },
        finish_reason: toFinishReason(outcome.finish_reason),
      },
    ],
    ...(!outcome.uncounted && { usage: toUsage(outcome) }),
    system_fingerprint: reply.system_fingerprint,
    ...(reply.metadata && { metadata: reply.metadata }),
  };
}

/** A turn as chunks. */
export function toChatChunks(
  turn: Turn,
  {
    created,
    includeUsage,
    json,
    onCrash,
  }: { created: number; includeUsage: boolean; json: boolean; onCrash: (error: unknown) => ServiceError },
): EventWriter {
  const stream = new EventWriter();
  const id = completionId(turn);
  const base = () => ({
    id,
    object: "chat.completion.chunk",
    created,
    model: turn.resolved,
    ...(includeUsage && { usage: null }),
  });
  // All chunks of one model begin with the same text: only what is new in each is written out anew.
  let opening = { model: "", text: "" };
  const open = () => {
    const model = turn.resolved;
    if (model !== opening.model) opening = { model, text: `data: ${JSON.stringify(base()).slice(0, -1)},"choices":[` };
    return opening.text;
  };
  const send = (delta: object, { logprobs = null, finish_reason = null, metadata = null }: Ending = {}) => {
    const labels = metadata ? `,"metadata":${JSON.stringify(metadata)}` : "";
    stream.write(`${open()}${JSON.stringify({ index: 0, delta, logprobs, finish_reason })}]${labels}}\n\n`);
  };
  const sendPiece = (field: string, text: string) => {
    if (text === "") return;
    stream.write(
      `${open()}{"index":0,"delta":{"${field}":${JSON.stringify(text)}},"logprobs":null,"finish_reason":null}]}\n\n`,
    );
  };
  const sendText = (text: string) => sendPiece("content", text);

  const spoken = createSpokenText({ json });
  const thought = createSpokenText({ json: false });
  let hasThought = false;
  send({ role: "assistant", content: "" });
  turn.listen((event) => {
    if (event.type === "text-delta") sendText(spoken.add(event));
    else if (event.type === "reasoning-delta") {
      hasThought = true;
      sendPiece("reasoning_content", thought.add(event));
    }
  });
  void turn.outcome
    .then((outcome) => {
      if (!outcome.ok) throw toTurnError(turn, outcome.error);
      const { text, refusal, logprobs, metadata } = outcome.reply;
      sendText(spoken.finish(text));
      if (refusal !== null) send({ refusal });
      const calls = outcome.pending_tool_calls.map((call, index) => ({ index, ...toToolCall(call) }));
      const { reasoning_content, ...echo } = reasoningBefore(outcome);
      // Clients put the pieces of a field together: what was told piece by piece is not told again.
      const untold = !hasThought && reasoning_content !== undefined && { reasoning_content };
      if (calls.length > 0) send({ ...untold, ...echo, tool_calls: calls });
      // Those of all tokens at once: they are known when the reply is.
      send({}, { logprobs, finish_reason: toFinishReason(outcome.finish_reason), metadata });
      if (includeUsage && !outcome.uncounted) stream.send({ ...base(), choices: [], usage: toUsage(outcome) });
      stream.write("data: [DONE]\n\n");
    })
    .catch((thrown: unknown) => stream.send(toOpenAiError(onCrash(thrown))))
    .finally(() => stream.end());
  return stream;
}

/** What only the last chunk has. */
interface Ending {
  readonly logprobs?: SuccessfulReply["logprobs"];
  readonly finish_reason?: string | null;
  /** Labels the model gave its reply. */
  readonly metadata?: SuccessfulReply["metadata"];
}

function completionId({ runId }: Turn): string {
  return `chatcmpl-${runId}`;
}

function toToolCall({ id, name, arguments: text, echo }: PendingToolCall) {
  return { id, type: "function" as const, function: { name, arguments: text }, ...echo?.call };
}

/**
 * What the provider wants to see again in the message of these calls: a client that sends the message back brings it. The
 * rest is put back by us: clients would take `reasoning` for more of what `reasoning_content` tells, and show it twice.
 */
function reasoningBefore({ reply }: SuccessfulOutcome): Readonly<Record<string, unknown>> {
  const fields = Object.entries(reply.tool_calls[0]?.echo?.message ?? {});
  return Object.fromEntries(fields.filter(([name]) => Object.hasOwn(opaqueFields, name)));
}

/** Over all calls of the run: what the client caused, not what the last step cost. */
function toUsage({ usage }: SuccessfulOutcome): CompletionUsage {
  const { cached_tokens, cache_write_tokens, reasoning_tokens } = usage;
  const input = omitUndefined({ cached_tokens, cache_write_tokens });
  return {
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: usage.total_tokens,
    ...(Object.keys(input).length > 0 && { prompt_tokens_details: input }),
    ...(reasoning_tokens !== undefined && { completion_tokens_details: { reasoning_tokens } }),
  };
}

/** OpenAI's clients know four reasons; x-finish-reason has the exact one. */
function toFinishReason(reason: string): ChatCompletion["choices"][number]["finish_reason"] {
  if (reason === "tool_calls" || reason === "content_filter") return reason;
  return isCutShort(reason) ? "length" : "stop";
}
