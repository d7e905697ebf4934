import { compact } from "../../../base/compact.ts";
import type { PendingToolCall, SuccessfulOutcome } from "../../../agent/loop/agent-outcome.ts";
import { pairToolMessages, type LooseMessage, type LooseToolCall } from "../../../agent/messages/history.ts";
import { toUserMessage } from "../../../agent/messages/user-message.ts";
import type { Tool } from "../../../agent/tools/tool.ts";
import type { ServiceError } from "../../../contract/errors/errors.ts";
import type {
  CacheControl,
  ChatMessage,
  ModelParameters,
  OpaqueMetadata,
  SuccessfulReply,
  UserMessage,
  UserPart,
} from "../../../contract/ports/chat-model.ts";
import {
  opaqueFields,
  type ChatCompletion,
  type ChatCompletionRequest,
  type CompletionUsage,
  type OpenAiMessage,
} from "../../../contract/schemas/wires/openai-chat.ts";
import { toMarkedText, type OpenAiUserContent } from "../../../contract/schemas/wires/openai-text.ts";
import { EventWriter } from "../../http/responses/event-writer.ts";
import { toOpenAiError } from "../../http/responses/error-response.ts";
import { endedAtLimit, toTurnError } from "../turns/turn-answer.ts";
import type { Turn } from "../turns/turn.ts";
import { planTools, toToolDefinition, type ToolChoice, type ToolPlan } from "./client-tools.ts";
import { createStepText } from "./step-text.ts";

/** The conversation of a chat completion as history for a model. */
export function fromOpenAiMessages(messages: readonly OpenAiMessage[]): readonly ChatMessage[] {
  return pairToolMessages(messages.map(toLooseChatMessage), { isClientTool: () => true });
}

function toLooseChatMessage(message: OpenAiMessage): LooseMessage {
  if (message.role === "user") {
    return { ...fromUserContent(message.content, message.cache_control), ...namedChoice(message) };
  }
  const marked = toMarkedText(message.content, message.cache_control);
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", ...marked, ...namedChoice(message) };
    case "assistant":
      return {
        role: "assistant",
        ...marked,
        content: marked.content || (message.refusal ?? ""),
        ...namedChoice(message),
        tool_calls: message.tool_calls?.map((call, index) => toLooseCall(call, index === 0 ? message : null)),
      };
    case "tool":
      return { role: "tool", ...marked, tool_call_id: message.tool_call_id };
  }
}

function namedChoice({ name }: { readonly name?: string | null | undefined }) {
  return name ? { name } : {};
}

/** The content of a user message in either of OpenAI's APIs. `whole`: the cache marker of the message, which moves to its last part. */
export function fromUserContent(content: OpenAiUserContent, whole?: CacheControl | null): UserMessage {
  if (typeof content === "string") return { role: "user", ...toMarkedText(content, whole) };
  const parts = content.map(toUserPart);
  const last = parts.at(-1);
  return toUserMessage(last && whole ? [...parts.slice(0, -1), { ...last, cache_control: whole }] : parts);
}

function toUserPart(part: Exclude<OpenAiUserContent, string>[number]): UserPart {
  const { cache_control } = part;
  const mark = cache_control ? { cache_control } : {};
  switch (part.type) {
    case "image_url":
      return { ...toImage(typeof part.image_url === "string" ? { url: part.image_url } : part.image_url), ...mark };
    case "input_image":
      return { ...toImage({ url: part.image_url, detail: part.detail }), ...mark };
    default:
      return { type: "text", text: part.text, ...mark };
  }
}

function toImage({ url, detail }: { url: string; detail?: string | null | undefined }): UserPart {
  return compact({ type: "image", url, detail: detail || undefined });
}

type AssistantMessage = Extract<OpenAiMessage, { role: "assistant" }>;

type MessageCall = NonNullable<AssistantMessage["tool_calls"]>[number];

/** The call with its opaque metadata, if the client sent it back; the metadata of the message is attached to its first call. */
function toLooseCall(
  { id, function: called, extra_content }: MessageCall,
  message: AssistantMessage | null,
): LooseToolCall {
  const { reasoning_content, reasoning_details, thinking } = message ?? {};
  const said = Object.entries({ reasoning_content, reasoning_details, thinking }).filter(([, value]) => value != null);
  const echo: OpaqueMetadata = compact({
    call: extra_content ? { extra_content } : undefined,
    message: said.length > 0 ? Object.fromEntries(said) : undefined,
  });
  return { id, ...called, ...((echo.call || echo.message) && { echo }) };
}

/** The tools of a turn: ours, and the client's as far as `tool_choice` allows. */
export function planChatTools(request: ChatCompletionRequest, tools: readonly Tool[]): ToolPlan {
  const clientTools = (request.tools ?? []).map(({ function: tool, cache_control = tool.cache_control }) =>
    toToolDefinition({ ...tool, cache_control }),
  );
  return planTools({ tools, clientTools, choice: toToolChoice(request.tool_choice) });
}

function toToolChoice(choice: ChatCompletionRequest["tool_choice"]): ToolChoice {
  if (choice === "none" || choice === "required") return choice;
  if (typeof choice !== "object" || choice === null) return null;
  if (choice.type === "function") return { name: choice.function.name };
  const { mode, tools } = choice.allowed_tools;
  return { allowed: tools.map((tool) => tool.function.name), isRequired: mode === "required" };
}

/** Fields that we read ourselves, or that have no meaning for an agent. All others are passed to the provider unchanged. */
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
  return compact({
    temperature: temperature ?? undefined,
    top_p: top_p ?? undefined,
    max_tokens: max_tokens ?? undefined,
    seed: seed ?? undefined,
    stop: stop ?? undefined,
    parallel_tool_calls: parallel_tool_calls ?? undefined,
    extra: extra.length > 0 ? Object.fromEntries(extra) : undefined,
  });
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
          // Clients read the text first, so an empty one beside tool calls or a refusal would be taken for the reply.
          content: reply.text === "" && (pending.length > 0 || reply.refusal !== null) ? null : reply.text,
          refusal: reply.refusal,
          ...(reply.reasoning !== undefined && { reasoning_content: reply.reasoning }),
          ...(pending.length > 0 && { ...completionMetadata(outcome), tool_calls: pending.map(toMessageToolCall) }),
        },
        logprobs: reply.logprobs && { ...reply.logprobs },
        finish_reason: toFinishReason(outcome.finish_reason),
      },
    ],
    ...(!outcome.uncounted && { usage: toCompletionUsage(outcome) }),
    system_fingerprint: reply.system_fingerprint,
    ...(reply.metadata && { metadata: reply.metadata }),
  };
}

/** A turn as the chunks of a streamed chat completion. */
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
  const model = turn.resolved;
  const usage = includeUsage ? null : undefined;
  const base = () => compact({ id, object: "chat.completion.chunk", created, model, usage });
  // All chunks of one model begin with the same text, so it is serialized once.
  let opening = { model: "", text: "" };
  const open = () => {
    const model = turn.resolved;
    if (model !== opening.model) opening = { model, text: `data: ${JSON.stringify(base()).slice(0, -1)},"choices":[` };
    return opening.text;
  };
  const send = (delta: object, { logprobs = null, finish_reason = null, metadata = null }: StreamEnding = {}) => {
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

  const content = createStepText({ json });
  const reasoning = createStepText({ json: false });
  let hasReasoning = false;
  send({ role: "assistant", content: "" });
  turn.listen((event) => {
    if (event.type === "text-delta") sendText(content.add(event));
    else if (event.type === "reasoning-delta") {
      hasReasoning = true;
      sendPiece("reasoning_content", reasoning.add(event));
    }
  });
  void turn.outcome
    .then((outcome) => {
      if (!outcome.ok) throw toTurnError(turn, outcome.error);
      const { text, refusal, logprobs, metadata } = outcome.reply;
      sendText(content.finish(text));
      if (refusal !== null) send({ refusal });
      const calls = outcome.pending_tool_calls.map((call, index) => ({ index, ...toMessageToolCall(call) }));
      const { reasoning_content, ...metadataFields } = completionMetadata(outcome);
      // Clients concatenate the pieces of a field, so reasoning that was streamed must not be sent again.
      const unsent = !hasReasoning && reasoning_content !== undefined && { reasoning_content };
      if (calls.length > 0) send({ ...unsent, ...metadataFields, tool_calls: calls });
      // The log probabilities of all tokens are known only at the end.
      send({}, { logprobs, finish_reason: toFinishReason(outcome.finish_reason), metadata });
      if (includeUsage && !outcome.uncounted)
        stream.send({ ...base(), choices: [], usage: toCompletionUsage(outcome) });
      stream.write("data: [DONE]\n\n");
    })
    .catch((thrown: unknown) => stream.send(toOpenAiError(onCrash(thrown))))
    .finally(() => stream.end());
  return stream;
}

/** Fields of the last chunk only. */
interface StreamEnding {
  readonly logprobs?: SuccessfulReply["logprobs"];
  readonly finish_reason?: string | null;
  /** Labels the model gave its reply. */
  readonly metadata?: SuccessfulReply["metadata"];
}

function completionId({ runId }: Turn): string {
  return `chatcmpl-${runId}`;
}

function toMessageToolCall({ id, name, arguments: text, echo }: PendingToolCall) {
  return { id, type: "function" as const, function: { name, arguments: text }, ...echo?.call };
}

/**
 * Opaque metadata for the message with these calls, in fields that clients send back. Other fields are restored by `EarlierSteps`:
 * clients would show `reasoning` in addition to `reasoning_content`.
 */
function completionMetadata({ reply }: SuccessfulOutcome): Readonly<Record<string, unknown>> {
  const fields = Object.entries(reply.tool_calls[0]?.echo?.message ?? {});
  return Object.fromEntries(fields.filter(([name]) => Object.hasOwn(opaqueFields, name)));
}

/** The usage of all model calls of the run, not only of the last one. */
function toCompletionUsage({ usage }: SuccessfulOutcome): CompletionUsage {
  const { cached_tokens, cache_write_tokens, reasoning_tokens } = usage;
  const input = compact({ cached_tokens, cache_write_tokens });
  return compact({
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: usage.total_tokens,
    prompt_tokens_details: Object.keys(input).length > 0 ? input : undefined,
    completion_tokens_details: reasoning_tokens === undefined ? undefined : { reasoning_tokens },
  });
}

/** OpenAI's clients know four reasons; x-finish-reason has the exact one. */
function toFinishReason(reason: string): ChatCompletion["choices"][number]["finish_reason"] {
  if (reason === "tool_calls" || reason === "content_filter") return reason;
  return endedAtLimit(reason) ? "length" : "stop";
}
