import { compact } from "../../../base/compact.ts";
import type { AgentOutcome, SuccessfulOutcome } from "../../../agent/loop/agent-outcome.ts";
import { pairToolMessages, type LooseMessage, type LooseToolCall } from "../../../agent/messages/history.ts";
import type { Tool } from "../../../agent/tools/tool.ts";
import type { ChatMessage, ModelParameters, SuccessfulReply } from "../../../contract/ports/chat-model.ts";
import {
  fieldsSharedWithChat,
  type ResponseBody,
  type ResponseInputItem,
  type ResponseOutputItem,
  type ResponseRequest,
} from "../../../contract/schemas/wires/openai-responses.ts";
import { toMarkedText, toPlainText } from "../../../contract/schemas/wires/openai-text.ts";
import { endedAtLimit } from "../turns/turn-answer.ts";
import type { RenderResponse } from "../turns/store-turns.ts";
import type { Turn } from "../turns/turn.ts";
import { decodeMetadata, pendingMetadata, encodeMetadata, type MetadataLookup } from "./opaque-metadata.ts";
import { planTools, toToolDefinition, type ToolChoice, type ToolPlan } from "./client-tools.ts";
import { fromUserContent } from "./openai-chat.ts";

/** The items of a conversation as history for a model; the instructions come first. */
export function fromResponseItems(
  items: readonly SentItem[],
  instructions: string | null | undefined,
): readonly ChatMessage[] {
  const opening: readonly LooseMessage[] = instructions ? [{ role: "system", content: instructions }] : [];
  return pairToolMessages([...opening, ...toLooseItems(items)], { isClientTool: () => true });
}

/** The items as messages: calls of one reply are joined. */
export function toLooseItems(items: readonly SentItem[]): readonly LooseMessage[] {
  return joinCalls(withMetadata(items));
}

/** An item whose content is known, not a reference to one. */
export type SentItem = Exclude<ResponseInputItem, { type: "item_reference" }>;

/** Attaches the metadata of a reasoning item to the calls of the same reply. */
function withMetadata(items: readonly SentItem[]): LooseMessage[] {
  let echoOf: MetadataLookup | null = null;
  return items.flatMap((item) => {
    if (item.type === "reasoning") {
      echoOf = decodeMetadata(item.encrypted_content) ?? echoOf;
      return [];
    }
    const isReply = item.type === "function_call" || ("role" in item && item.role === "assistant");
    if (!isReply) echoOf = null;
    return toLooseMessages(item, echoOf);
  });
}

function toLooseMessages(
  item: Exclude<SentItem, { type: "reasoning" }>,
  echoOf: MetadataLookup | null,
): LooseMessage[] {
  switch (item.type) {
    case "function_call_output":
      return [{ role: "tool", content: toPlainText(item.output), tool_call_id: item.call_id }];
    case "function_call": {
      const { call_id: id, name, arguments: text } = item;
      const echo = echoOf?.(id);
      return [
        {
          role: "assistant",
          content: "",
          tool_calls: [compact({ id, name, arguments: text, echo: echo ?? undefined })],
        },
      ];
    }
    default: {
      if (item.role === "user") return [fromUserContent(item.content)];
      const role = item.role === "developer" ? "system" : item.role;
      return [{ role, ...toMarkedText(item.content, null) }];
    }
  }
}

/** Joins the calls of one turn and its text, which are separate items here, into one message for the model. */
function joinCalls(messages: readonly LooseMessage[]): LooseMessage[] {
  const joined: LooseMessage[] = [];
  /** The calls of the last message, extended in place: copying them for each of thousands of items would take seconds. */
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

/** The tools of a turn: ours, and the client's as far as `tool_choice` allows. */
export function planResponseTools(request: ResponseRequest, tools: readonly Tool[]): ToolPlan {
  const clientTools = (request.tools ?? []).map(toToolDefinition);
  return planTools({ tools, clientTools, choice: toToolChoice(request.tool_choice) });
}

function toToolChoice(choice: ResponseRequest["tool_choice"]): ToolChoice {
  if (choice === "none" || choice === "required") return choice;
  if (typeof choice !== "object" || choice === null) return null;
  if (choice.type === "function") return { name: choice.name };
  return { allowed: choice.tools.map(({ name }) => name), isRequired: choice.mode === "required" };
}

export function fromResponseParameters(request: ResponseRequest): ModelParameters {
  const { temperature, top_p, max_output_tokens, parallel_tool_calls } = request;
  const extra = toChatFields(request);
  return compact({
    temperature: typeof temperature === "number" ? temperature : undefined,
    top_p: typeof top_p === "number" ? top_p : undefined,
    max_tokens: typeof max_output_tokens === "number" ? max_output_tokens : undefined,
    parallel_tool_calls: typeof parallel_tool_calls === "boolean" ? parallel_tool_calls : undefined,
    extra: Object.keys(extra).length > 0 ? extra : undefined,
  });
}

/** Other parameters as fields of chat completions, which is the API we use with every provider. */
function toChatFields(request: ResponseRequest): Record<string, unknown> {
  const { text, reasoning, include, top_logprobs } = request;
  // "text" is the default, and some providers do not know the field.
  const format = text?.format?.type === "text" ? null : text?.format;
  const shared = Object.keys(fieldsSharedWithChat).map((name) => [
    name,
    request[name as keyof typeof fieldsSharedWithChat],
  ]);
  return {
    ...Object.fromEntries(shared.filter(([, value]) => value != null)),
    ...(format && { response_format: toResponseFormat(format) }),
    ...(text?.verbosity && { verbosity: text.verbosity }),
    ...(reasoning?.effort && { reasoning_effort: reasoning.effort }),
    ...(include?.includes("message.output_text.logprobs") && { logprobs: true }),
    ...(typeof top_logprobs === "number" && { logprobs: true, top_logprobs }),
  };
}

function toResponseFormat({ type, ...described }: NonNullable<NonNullable<ResponseRequest["text"]>["format"]>) {
  return type === "json_schema" ? { type, json_schema: described } : { type };
}

export interface ResponseHead {
  readonly request: ResponseRequest;
  /** Seconds since 1970. */
  readonly created: number;
}

/** The run of a turn, and the model that answers. */
type AnsweringTurn = Pick<Turn, "runId" | "resolved">;

/** A response that is still in progress. */
export function openResponse(turn: AnsweringTurn, { request, created }: ResponseHead): ResponseBody {
  const { conversation } = request;
  return {
    id: responseId(turn.runId),
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
    previous_response_id: request.previous_response_id ?? null,
    conversation: typeof conversation === "string" ? { id: conversation } : (conversation ?? null),
    background: request.background === true,
    store: request.store !== false,
    temperature: request.temperature ?? null,
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    top_p: request.top_p ?? null,
    usage: null,
  };
}

/** The complete response of a turn. `text`: the text of its message. */
export function toResponse(
  turn: AnsweringTurn,
  outcome: SuccessfulOutcome,
  { text = outcome.reply.text, ...head }: ResponseHead & { text?: string },
): ResponseBody {
  const reason = incompleteDetails(outcome.finish_reason);
  return {
    ...openResponse(turn, head),
    status: reason === null ? "completed" : "incomplete",
    incomplete_details: reason === null ? null : { reason },
    output: toOutput(turn, outcome, text),
    usage: outcome.uncounted ? null : toResponseUsage(outcome),
  };
}

/** The body of a stored response, for the store. `head` is what the turn was started with. */
export const renderStoredResponse: RenderResponse = (turn, ended, head) => {
  if ("ok" in ended) return toResponse(turn, ended, head as ResponseHead);
  const { code, detail: message } = ended.error;
  const isCancelled = code === "run_cancelled" || code === "client_closed";
  return {
    ...openResponse(turn, head as ResponseHead),
    status: isCancelled ? "cancelled" : "failed",
    error: { code, message },
  } satisfies ResponseBody;
};

/** OpenAI's clients know two reasons; x-finish-reason has the exact one. */
function incompleteDetails(finishReason: string): string | null {
  if (finishReason === "content_filter") return finishReason;
  return endedAtLimit(finishReason) ? "max_output_tokens" : null;
}

function toResponseUsage({ usage }: AgentOutcome): NonNullable<ResponseBody["usage"]> {
  return {
    input_tokens: usage.input_tokens,
    input_tokens_details: { cached_tokens: usage.cached_tokens ?? 0 },
    output_tokens: usage.output_tokens,
    output_tokens_details: { reasoning_tokens: usage.reasoning_tokens ?? 0 },
    total_tokens: usage.total_tokens,
  };
}

function toOutput(turn: AnsweringTurn, outcome: SuccessfulOutcome, text: string): ResponseOutputItem[] {
  const { reply, pending_tool_calls } = outcome;
  const output: ResponseOutputItem[] = [];
  const encoded = encodeMetadata(pendingMetadata(outcome));
  if (reply.reasoning !== undefined || encoded !== null)
    output.push(reasoningItem(turn, reply.reasoning ?? "", { encoded }));
  const refused = reply.refusal !== null;
  if (text !== "" || refused || pending_tool_calls.length === 0) {
    const content = [
      ...(text !== "" || !refused ? [outputText(text, reply.logprobs)] : []),
      ...(reply.refusal === null ? [] : [{ type: "refusal" as const, refusal: reply.refusal }]),
    ];
    output.push({ type: "message", id: messageId(turn), role: "assistant", status: "completed", content });
  }
  for (const [index, { id, name, arguments: text }] of pending_tool_calls.entries()) {
    const item = { type: "function_call" as const, id: `fc_${turn.runId}_${index}`, call_id: id, name };
    output.push({ ...item, arguments: text, status: "completed" });
  }
  return output;
}

/** Reasoning as a summary: OpenAI's clients show summaries, whatever their length. */
export function reasoningItem(
  { runId }: AnsweringTurn,
  text: string,
  { count = 1, encoded = null }: { count?: number; encoded?: string | null } = {},
) {
  const id = count === 1 ? `rs_${runId}` : `rs_${runId}_${count}`;
  const summary = text === "" ? [] : [{ type: "summary_text" as const, text }];
  const encrypted = encoded === null ? {} : { encrypted_content: encoded };
  return { type: "reasoning" as const, id, summary, ...encrypted, status: "completed" as const };
}

export function outputText(text: string, logprobs: SuccessfulReply["logprobs"] = null) {
  const tokens = logprobs?.["content"];
  return { type: "output_text" as const, text, annotations: [], logprobs: Array.isArray(tokens) ? tokens : [] };
}

export function messageId({ runId }: AnsweringTurn): string {
  return `msg_${runId}`;
}

/** The id of the response of a run. */
export function responseId(runId: string): string {
  return `resp_${runId}`;
}

/** The run of a response or of an item of its output; null for ids that this service did not give. */
export function runOfId(id: string): string | null {
  return /^(?:resp|msg|rs|fc)_([0-9a-f-]{36})(?:_\d+)?$/.exec(id)?.[1] ?? null;
}
