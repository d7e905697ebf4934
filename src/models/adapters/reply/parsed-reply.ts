import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { isRetryable, type ErrorCode } from "../../../contract/errors/errors.ts";
import type {
  ChatRequest,
  FailedReply,
  Reply,
  ReplyError,
  SuccessfulReply,
  TokenUsage,
} from "../../../contract/ports/chat-model.ts";
import type { Explanation } from "../../outbound/failure.ts";
import { nonEmptyString, plainRecord } from "./json-values.ts";

/** The call whose answer is read. */
export interface AnswerContext {
  readonly url: string;
  readonly modelId: string;
  /** The source of the reply's opaque metadata: an endpoint and a model id. */
  readonly source: string;
  readonly request: ChatRequest;
  readonly status: number;
  readonly tries: number;
}

/** A reply without its timing, which the caller adds. */
export type ParsedReply = Omit<SuccessfulReply, "latency_ms" | "first_token_ms">;

export function invalid(context: AnswerContext, detail: string): ReplyError {
  return replyError("upstream_invalid_reply", detail, context);
}

/** The finish reasons of OpenRouter, DeepSeek, vLLM and Zhipu for a reply that broke off. */
const breaks = new Set<unknown>(["error", "insufficient_system_resource", "abort", "network_error"]);

export function brokenOff(finishReason: string | null, context: AnswerContext): ReplyError | null {
  if (!breaks.has(finishReason)) return null;
  return replyError("upstream_error", "The endpoint broke the reply off with an error.", context);
}

/** Gemini's finish reasons for a tool call that it could not parse and dropped. */
const unreadableCall = /^(?:function_call_filter\b.*|malformed_function_call|unexpected_tool_call)$/i;

/** The error for an empty reply. */
export function withoutContent(finishReason: string | null, context: AnswerContext): ReplyError {
  if (finishReason === null || !unreadableCall.test(finishReason)) return invalid(context, noContent(finishReason));
  const detail = "The model wrote a tool call that its provider could not read.";
  return { ...invalid(context, detail), unreadable_call: true };
}

export function noContent(finishReason: string | null): string {
  return finishReason === "length"
    ? "The model reached its token limit before it wrote any text: raise max_tokens."
    : "The answer holds neither text nor a tool call.";
}

/** The refusal of a reply that the provider's filter withheld: not a failure, and another try would not help. */
export function withheldReply(finishReason: string | null): string | null {
  return finishReason === "content_filter" ? "The reply was held back by the provider's content filter." : null;
}

export function notJson(body: string): string {
  if (body.trim() === "") return "The answer is empty.";
  return /^\s*</.test(body)
    ? "The answer is a web page, not JSON: check the path of the endpoint."
    : "The answer is not a JSON object.";
}

/** Other finish reasons for a token limit: Mistral, Zhipu, gateways to Gemini, Cohere and Claude. */
const limits = /^(?:model_length|model_context_window_exceeded|max_tokens)$/i;

/** Other finish reasons for a content filter: Gemini's `content_filter: PROHIBITED_CONTENT` and its own words, and Zhipu's. */
const filters = /^(?:content_filter\b.*|sensitive|safety|recitation|blocklist|prohibited_content|spii|image_safety)$/i;

/** The finish reason in OpenAI's terms where there is one. Null when the server sends none. */
export function statedReason(value: unknown): string | null {
  const reason = nonEmptyString(value);
  if (reason === null) return null;
  if (limits.test(reason)) return "length";
  return filters.test(reason) ? "content_filter" : reason;
}

/** Servers omit the reason, send the legacy `function_call`, or name tool calls where there are none. */
export function finishReason(reason: string | null, hasToolCalls: boolean): string {
  if (reason === null || reason === "tool_calls" || reason === "function_call") {
    return hasToolCalls ? "tool_calls" : "stop";
  }
  return reason;
}

export function failedReply(error: ReplyError, latency_ms: number): FailedReply {
  return { ok: false, error, latency_ms };
}

/** An error found in a 2xx answer. */
export function replyError(
  code: ErrorCode,
  detail: string,
  { status, tries }: { status: number; tries: number },
): ReplyError {
  return { code, detail, upstream_status: status, tries, retryable: isRetryable(code) };
}

/** The same for an adapter's explanation. */
export function explainedError(
  { code, detail, lacksCredit, unreadableCall }: Explanation,
  context: { status: number; tries: number },
): ReplyError {
  return {
    ...replyError(code, detail, context),
    ...(lacksCredit && { lacks_credit: true }),
    ...(unreadableCall && { unreadable_call: true }),
  };
}

/** Milliseconds since `started` (from `performance.now()`), rounded to microseconds to be short in JSON. */
export function elapsedMs(started: number): number {
  return Math.round((performance.now() - started) * 1000) / 1000;
}

/** Reads a provider's token counts. Numbers may be text, missing or nonsense; null without any usable one. */
export function tokenUsage(value: unknown): TokenUsage | null {
  if (!isRecord(value)) return null;
  const prompt = wholeCount(value["prompt_tokens"] ?? value["input_tokens"]);
  const completion = wholeCount(value["completion_tokens"] ?? value["output_tokens"]);
  const total = wholeCount(value["total_tokens"]);
  if (prompt === null && completion === null && total === null) return null;
  const known = { prompt: prompt ?? 0, completion: completion ?? 0 };
  return {
    prompt_tokens: known.prompt,
    completion_tokens: known.completion,
    total_tokens: total ?? known.prompt + known.completion,
    prompt_tokens_details:
      plainRecord(value["prompt_tokens_details"] ?? value["input_tokens_details"]) ?? cached(value),
    completion_tokens_details: plainRecord(value["completion_tokens_details"] ?? value["output_tokens_details"]),
  };
}

/** DeepSeek and Moonshot report cached tokens in fields of their own. */
function cached({ prompt_cache_hit_tokens, cached_tokens }: JsonRecord): JsonRecord | null {
  const read = wholeCount(prompt_cache_hit_tokens ?? cached_tokens);
  return read === null ? null : { cached_tokens: read };
}

function wholeCount(value: unknown): number | null {
  const number = typeof value === "string" && /^\d+$/.test(value.trim()) ? Number(value) : value;
  const whole = typeof number === "number" ? Math.round(number) : Number.NaN;
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : null;
}

/** The reply with earlier tries added. */
export function withTries(reply: Reply, earlier: number): Reply {
  if (earlier === 0) return reply;
  if (reply.ok) return { ...reply, tries: reply.tries + earlier };
  return { ...reply, error: { ...reply.error, tries: reply.error.tries + earlier } };
}
