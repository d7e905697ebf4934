import type { ChatRequest, ReplyError, SuccessfulReply } from "../../contract/ports/chat-model.ts";
import { replyError } from "./failed-reply.ts";
import { nonEmptyString } from "./json-values.ts";

/** What is known about a call when its answer is read. */
export interface AnswerContext {
  readonly url: string;
  readonly modelId: string;
  /** Whose echoes the reply holds. */
  readonly source: string;
  readonly request: ChatRequest;
  readonly status: number;
  readonly tries: number;
}

/** A reply without its timing, which only the caller knows. */
export type ParsedReply = Omit<SuccessfulReply, "latency_ms" | "first_token_ms">;

export function invalid(context: AnswerContext, detail: string): ReplyError {
  return replyError("upstream_invalid_reply", detail, context);
}

/** What OpenRouter, DeepSeek, vLLM, Zhipu and their like say of a reply that broke off: what came of it is no answer. */
const breaks = new Set<unknown>(["error", "insufficient_system_resource", "abort", "network_error"]);

export function brokenOff(finishReason: string | null, context: AnswerContext): ReplyError | null {
  if (!breaks.has(finishReason)) return null;
  return replyError("upstream_error", "The endpoint broke the reply off with an error.", context);
}

/** How Gemini says that it took its own tool call for none and threw it away. */
const unreadableCall = /^(?:function_call_filter\b.*|malformed_function_call|unexpected_tool_call)$/i;

/** A reply that holds nothing. */
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

/** A reply that its provider's filter kept to itself: no failure of the endpoint, and nothing that another try would change. */
export function heldBack(finishReason: string | null): string | null {
  return finishReason === "content_filter" ? "The reply was held back by the provider's content filter." : null;
}

export function notJson(body: string): string {
  if (body.trim() === "") return "The answer is empty.";
  return /^\s*</.test(body)
    ? "The answer is a web page, not JSON: check the path of the endpoint."
    : "The answer is not a JSON object.";
}

/** Other words for a reply that met a limit of tokens: Mistral's, Zhipu's, and those of gateways to Gemini, Cohere and Claude. */
const limits = /^(?:model_length|model_context_window_exceeded|max_tokens)$/i;

/** And for one that a filter held back: Gemini's `content_filter: PROHIBITED_CONTENT`, its own words, which gateways pass on, and Zhipu's. */
const filters = /^(?:content_filter\b.*|sensitive|safety|recitation|blocklist|prohibited_content|spii|image_safety)$/i;

/** Why a reply ended, in OpenAI's words where it has some. Null where the server does not say. */
export function statedReason(value: unknown): string | null {
  const reason = nonEmptyString(value);
  if (reason === null) return null;
  if (limits.test(reason)) return "length";
  return filters.test(reason) ? "content_filter" : reason;
}

/** Servers leave the reason out, still say `function_call`, or speak of calls where there are none. */
export function finishReason(reason: string | null, hasToolCalls: boolean): string {
  if (reason === null || reason === "tool_calls" || reason === "function_call") {
    return hasToolCalls ? "tool_calls" : "stop";
  }
  return reason;
}
