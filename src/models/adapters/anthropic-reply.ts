import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ReplyError, TokenUsage } from "../../contract/ports/chat-model.ts";
import { explainAnthropicError } from "./anthropic-error.ts";
import { formatTool } from "./anthropic-format.ts";
import { blocksText } from "./anthropic-text.ts";
import { withEchoes } from "./call-echo.ts";
import { explainedError } from "./failed-reply.ts";
import { labels, nonEmptyString, plainRecord } from "./json-values.ts";
import { messageToolCalls, thinkingText } from "./message-content.ts";
import { parseJson } from "./parse-json.ts";
import { invalid, noContent, notJson, type AnswerContext, type ParsedReply } from "./parsed-reply.ts";
import { tokenUsage } from "./token-usage.ts";

/** What the API's stop reasons are called elsewhere. One that is not here is passed on as it came. */
const finishReasons: ReadonlyMap<string, string> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool_calls"],
  ["refusal", "content_filter"],
]);

/** Reads an answer of the messages API. What cannot be understood is an error, never a crash. */
export function parseAnthropicReply(body: string, context: AnswerContext): ParsedReply | ReplyError {
  const answer = parseJson(body);
  return isRecord(answer) ? fromMessage(answer, context) : invalid(context, notJson(body));
}

/** Reads one message: an answer, or what a stream added up to. */
export function fromMessage(message: JsonRecord, context: AnswerContext): ParsedReply | ReplyError {
  if (message["type"] === "error" || message["error"]) {
    return explainedError(explainAnthropicError(message["error"], new URL(context.url)), context);
  }
  const { content } = message;
  if (typeof content !== "string" && !Array.isArray(content)) return invalid(context, "The answer holds no content.");
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content.filter(isRecord);
  return toReply(message, blocks, context);
}

function toReply(message: JsonRecord, blocks: readonly JsonRecord[], context: AnswerContext): ParsedReply | ReplyError {
  const stop = nonEmptyString(message["stop_reason"]);
  const { text, calls } = readBlocks(blocks, context);
  const { source } = context;
  const toolCalls = withEchoes(messageToolCalls({ tool_calls: calls }), { source, message: thinkingIn(blocks) });
  const finish = finishReason(stop, toolCalls.length > 0);
  const thought = thinkingText(blocks);
  const paused = stop === "pause_turn" && toolCalls.length === 0 ? plainRecord({ blocks }) : null;
  // A model that has nothing to add ends its turn with no text at all; one that is cut short before its text has not replied.
  if (text === null && toolCalls.length === 0 && finish === "length") return invalid(context, noContent(finish));
  return {
    ok: true,
    text: text ?? "",
    ...(thought !== "" && { reasoning: thought }),
    refusal: stop === "refusal" ? refusalText(message) : null,
    tool_calls: toolCalls,
    finish_reason: finish,
    usage: anthropicUsage(message["usage"]),
    model: nonEmptyString(message["model"]) ?? context.modelId,
    completion_id: nonEmptyString(message["id"]) ?? "",
    system_fingerprint: null,
    service_tier: isRecord(message["usage"]) ? nonEmptyString(message["usage"]["service_tier"]) : null,
    logprobs: null,
    metadata: labels(message["metadata"]),
    tries: context.tries,
    ...(paused && { paused: blocks }),
  };
}

/** The text, and the tools that were called; a call of the format's own tool is the text. Thinking is neither. */
function readBlocks(blocks: readonly JsonRecord[], { request }: AnswerContext) {
  const calls = blocks
    .filter((block) => block["type"] === "tool_use")
    .map(({ id, name, input }) => ({ id, name, arguments: input }));
  const format = formatTool(request)?.name;
  const reply = format === undefined ? undefined : calls.find(({ name }) => name === format);
  if (!reply) return { text: blocksText(blocks), calls };
  const text = typeof reply.arguments === "string" ? reply.arguments : JSON.stringify(reply.arguments ?? {});
  return { text, calls: calls.filter(({ name }) => name !== format) };
}

/**
 * A model that thinks first goes on with the results of its tools only when it sees its thoughts again, unchanged and where they were:
 * what it said between them is part of that.
 */
function thinkingIn(blocks: readonly JsonRecord[]): JsonRecord | null {
  const last = blocks.findLastIndex(isThought);
  const thinking = blocks.slice(0, last + 1).filter((block) => isThought(block) || block["type"] === "text");
  return thinking.length === 0 ? null : plainRecord({ thinking });
}

function isThought({ type }: JsonRecord): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function finishReason(stop: string | null, hasToolCalls: boolean): string {
  if (stop === null) return hasToolCalls ? "tool_calls" : "stop";
  // The format's own tool was called, and no other: the reply is complete.
  if (stop === "tool_use" && !hasToolCalls) return "stop";
  return finishReasons.get(stop) ?? stop;
}

function refusalText(message: JsonRecord): string {
  const details = message["stop_details"];
  return (isRecord(details) && nonEmptyString(details["explanation"])) || "The model declined to answer.";
}

/** Counts of the messages API, where `input_tokens` leaves out what was read from or written to the cache: the prompt is all three. */
function anthropicUsage(value: unknown): TokenUsage | null {
  const usage = tokenUsage(value);
  if (!usage || !isRecord(value)) return usage;
  const cached = count(value["cache_read_input_tokens"]);
  const written = count(value["cache_creation_input_tokens"]);
  const kept = isRecord(value["cache_creation"]) ? count(value["cache_creation"]["ephemeral_1h_input_tokens"]) : 0;
  const prompt = usage.prompt_tokens + cached + written;
  return {
    ...usage,
    prompt_tokens: prompt,
    total_tokens: prompt + usage.completion_tokens,
    prompt_tokens_details: cached + written > 0 ? inputDetails({ cached, written, kept }) : null,
    completion_tokens_details: outputDetails(usage),
  };
}

/** `kept`: of what was written, for an hour, which costs more than the usual five minutes. */
function inputDetails({ cached, written, kept }: { cached: number; written: number; kept: number }) {
  const usual = { cached_tokens: cached, cache_write_tokens: written };
  return kept > 0 ? { ...usual, cache_write_1h_tokens: kept } : usual;
}

/** What is thought goes by the name that it has everywhere else. */
function outputDetails({ completion_tokens_details: details }: TokenUsage): TokenUsage["completion_tokens_details"] {
  if (details?.["thinking_tokens"] === undefined) return details;
  const { thinking_tokens, ...others } = details;
  return { reasoning_tokens: thinking_tokens, ...others };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
