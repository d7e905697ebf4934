import type { AgentOutcome, SuccessfulOutcome } from "../../../agent/loop/agent-outcome.ts";
import { pairToolMessages, type LooseMessage, type LooseToolCall } from "../../../agent/messages/history.ts";
import type { ChatMessage, SuccessfulReply } from "../../../contract/ports/chat-model.ts";
import type {
  ResponseBody,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseRequest,
} from "../../../contract/schemas/openai-responses.ts";
import { toMarkedText, toPlainText } from "../../../contract/schemas/openai-text.ts";
import { pendingEchoes } from "../turns/pending-echoes.ts";
import type { Turn } from "../turns/turn.ts";
import { isCutShort } from "./is-cut-short.ts";
import { fromUserContent } from "./openai-request.ts";
import { openEchoes, sealEchoes, type OpenEchoes } from "./sealed-echoes.ts";

/** The input of a response as history for a model; the instructions come first. */
export function fromResponseInput({ input, instructions }: ResponseRequest): readonly ChatMessage[] {
  const items: readonly ResponseInputItem[] = typeof input === "string" ? [{ role: "user", content: input }] : input;
  const messages = joinCalls(withEchoes(items));
  return pairToolMessages(instructions ? [{ role: "system", content: instructions }, ...messages] : messages);
}

/** What was sealed with a reply goes with the calls of that reply. */
function withEchoes(items: readonly ResponseInputItem[]): LooseMessage[] {
  let echoOf: OpenEchoes | null = null;
  return items.flatMap((item) => {
    if (item.type === "reasoning") {
      echoOf = openEchoes(item.encrypted_content) ?? echoOf;
      return [];
    }
    const isReply = item.type === "function_call" || ("role" in item && item.role === "assistant");
    if (!isReply) echoOf = null;
    return toLooseMessages(item, echoOf);
  });
}

function toLooseMessages(
  item: Exclude<ResponseInputItem, { type: "reasoning" }>,
  echoOf: OpenEchoes | null,
): LooseMessage[] {
  switch (item.type) {
    case "function_call_output":
      return [{ role: "tool", content: toPlainText(item.output), tool_call_id: item.call_id }];
    case "function_call": {
      const { call_id: id, name, arguments: text } = item;
      const echo = echoOf?.(id);
      return [{ role: "assistant", content: "", tool_calls: [{ id, name, arguments: text, ...(echo && { echo }) }] }];
    }
    default: {
      if (item.role === "user") return [fromUserContent(item.content)];
      const role = item.role === "developer" ? "system" : item.role;
      return [{ role, ...toMarkedText(item.content, null) }];
    }
  }
}

/** Each call is an item of its own here; for a model the calls of one turn, and its text, are one message. */
function joinCalls(messages: readonly LooseMessage[]): LooseMessage[] {
  const joined: LooseMessage[] = [];
  /** The calls of the last message, once one was added to it: copied for each of thousands, they would take seconds. */
  let calls: LooseToolCall[] | null = null;
  for (const message of messages) {
    const last = joined.at(-1);
    const isMore = message.role === "assistant" && message.tool_calls && last?.role === "assistant";
    if (!isMore) {
      joined.push(message);
      calls = null;
    } else if (calls) {
      calls.push(...(message.tool_calls ?? []));
    } else {
      calls = [...(last.tool_calls ?? []), ...(message.tool_calls ?? [])];
      joined[joined.length - 1] = { ...last, tool_calls: calls };
    }
  }
  return joined;
}

export interface ResponseHead {
  readonly request: ResponseRequest;
  /** Seconds since 1970. */
  readonly created: number;
}

/** What is known of a response before it is over. */
export function openResponse(turn: Turn, { request, created }: ResponseHead): ResponseBody {
  return {
    id: `resp_${turn.runId}`,
    object: "response",
    created_at: created,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    model: turn.resolved,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    store: false,
    temperature: request.temperature ?? null,
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    top_p: request.top_p ?? null,
    usage: null,
  };
}

/** The whole response of a turn that was answered. `text` is what its message says. */
export function toResponse(
  turn: Turn,
  outcome: SuccessfulOutcome,
  { text = outcome.reply.text, ...head }: ResponseHead & { text?: string },
): ResponseBody {
  const reason = incompleteReason(outcome.finish_reason);
  return {
    ...openResponse(turn, head),
    status: reason === null ? "completed" : "incomplete",
    incomplete_details: reason === null ? null : { reason },
    output: toOutput(turn, outcome, text),
    usage: outcome.uncounted ? null : toUsage(outcome),
  };
}

/** OpenAI's clients know two reasons; x-finish-reason has the exact one. */
function incompleteReason(finishReason: string): string | null {
  if (finishReason === "content_filter") return finishReason;
  return isCutShort(finishReason) ? "max_output_tokens" : null;
}

function toUsage({ usage }: AgentOutcome): NonNullable<ResponseBody["usage"]> {
  return {
    input_tokens: usage.input_tokens,
    input_tokens_details: { cached_tokens: usage.cached_tokens ?? 0 },
    output_tokens: usage.output_tokens,
    output_tokens_details: { reasoning_tokens: usage.reasoning_tokens ?? 0 },
    total_tokens: usage.total_tokens,
  };
}

function toOutput(turn: Turn, outcome: SuccessfulOutcome, text: string): ResponseOutputItem[] {
  const { reply, pending_tool_calls } = outcome;
  const output: ResponseOutputItem[] = [];
  const sealed = sealEchoes(pendingEchoes(outcome));
  if (reply.reasoning !== undefined || sealed !== null)
    output.push(reasoningItem(turn, reply.reasoning ?? "", { sealed }));
  const refused = reply.refusal !== null;
  if (text !== "" || refused || pending_tool_calls.length === 0) {
    const content = [
      ...(text !== "" || !refused ? [outputText(text, reply.logprobs)] : []),
      ...(reply.refusal === null ? [] : [{ type: "refusal" as const, refusal: reply.refusal }]),
    ];
    output.push({ type: "message", id: messageId(turn), role: "assistant", status: "completed", content });
  }
  for (const { id, name, arguments: text } of pending_tool_calls) {
    const item = { type: "function_call" as const, id: `fc_${id}`, call_id: id, name };
    output.push({ ...item, arguments: text, status: "completed" });
  }
  return output;
}

/** The place where clients look for it: those of OpenAI show summaries, of whatever length. */
export function reasoningItem(
  { runId }: Turn,
  text: string,
  { count = 1, sealed = null }: { count?: number; sealed?: string | null } = {},
) {
  const id = count === 1 ? `rs_${runId}` : `rs_${runId}_${count}`;
  const summary = text === "" ? [] : [{ type: "summary_text" as const, text }];
  const encrypted = sealed === null ? {} : { encrypted_content: sealed };
  return { type: "reasoning" as const, id, summary, ...encrypted, status: "completed" as const };
}

export function outputText(text: string, logprobs: SuccessfulReply["logprobs"] = null) {
  const tokens = logprobs?.["content"];
  return { type: "output_text" as const, text, annotations: [], logprobs: Array.isArray(tokens) ? tokens : [] };
}

export function messageId({ runId }: Turn): string {
  return `msg_${runId}`;
}
