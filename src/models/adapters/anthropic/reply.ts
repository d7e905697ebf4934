import { compact } from "../../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import type { ErrorCode } from "../../../contract/errors/errors.ts";
import type { ReplyError, TokenUsage } from "../../../contract/ports/chat-model.ts";
import type { Explanation } from "../../outbound/failure.ts";
import { withoutCredit, type FailedResponse } from "../../outbound/status-failure.ts";
import { withOpaqueMetadata } from "../opaque-metadata.ts";
import { explainErrorObject, explainOpenaiFailure } from "../openai-error.ts";
import { labels, nonEmptyString, parseJson, plainRecord } from "../reply/json-values.ts";
import { contentText, messageToolCalls, separatorAfter, thinkingText } from "../reply/message-content.ts";
import {
  explainedError,
  invalid,
  noContent,
  notJson,
  tokenUsage,
  type AnswerContext,
  type ParsedReply,
} from "../reply/parsed-reply.ts";
import { formatTool } from "./format-tool.ts";

/** OpenAI's terms for the stop reasons. Others are passed on unchanged. */
const finishReasons: ReadonlyMap<string, string> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool_calls"],
  ["refusal", "content_filter"],
]);

/** Reads an answer of the messages API. An unreadable answer is an error, never an exception. */
export function parseAnthropicReply(body: string, context: AnswerContext): ParsedReply | ReplyError {
  const answer = parseJson(body);
  return isRecord(answer) ? fromMessage(answer, context) : invalid(context, notJson(body));
}

/** Reads one message: an answer, or the result of a stream. */
export function fromMessage(message: JsonRecord, context: AnswerContext): ParsedReply | ReplyError {
  if (message["type"] === "error" || message["error"]) {
    return explainedError(explainAnthropicError(message["error"], new URL(context.url)), context);
  }
  const { content } = message;
  if (typeof content !== "string" && !Array.isArray(content)) return invalid(context, "The answer holds no content.");
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content.filter(isRecord);
  return toAnthropicReply(message, blocks, context);
}

function toAnthropicReply(
  message: JsonRecord,
  blocks: readonly JsonRecord[],
  context: AnswerContext,
): ParsedReply | ReplyError {
  const stop = nonEmptyString(message["stop_reason"]);
  const { text, calls } = readBlocks(blocks, context);
  const { source } = context;
  const toolCalls = withOpaqueMetadata(messageToolCalls({ tool_calls: calls }), {
    source,
    message: thinkingIn(blocks),
  });
  const finish = anthropicFinishReason(stop, toolCalls.length > 0);
  const thought = thinkingText(blocks);
  const paused = stop === "pause_turn" && toolCalls.length === 0 ? plainRecord({ blocks }) : null;
  // A turn may end without text; a reply cut off before its text is an error.
  if (text === null && toolCalls.length === 0 && finish === "length") return invalid(context, noContent(finish));
  return compact({
    ok: true,
    text: text ?? "",
    reasoning: thought !== "" ? thought : undefined,
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
    paused: paused ? blocks : undefined,
  });
}

/** The text and the tool calls; a call of the format tool is the text. */
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
 * The thinking blocks and the texts between them: a thinking model continues after tool results only with these blocks
 * unchanged and in place.
 */
function thinkingIn(blocks: readonly JsonRecord[]): JsonRecord | null {
  const last = blocks.findLastIndex(isThinkingBlock);
  const thinking = blocks.slice(0, last + 1).filter((block) => isThinkingBlock(block) || block["type"] === "text");
  return thinking.length === 0 ? null : plainRecord({ thinking });
}

function isThinkingBlock({ type }: JsonRecord): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function anthropicFinishReason(stop: string | null, hasToolCalls: boolean): string {
  if (stop === null) return hasToolCalls ? "tool_calls" : "stop";
  // Only the format tool was called: the reply is complete.
  if (stop === "tool_use" && !hasToolCalls) return "stop";
  return finishReasons.get(stop) ?? stop;
}

function refusalText(message: JsonRecord): string {
  const details = message["stop_details"];
  return (isRecord(details) && nonEmptyString(details["explanation"])) || "The model declined to answer.";
}

/** The API's `input_tokens` exclude cache reads and writes; the prompt is the sum of all three. */
function anthropicUsage(value: unknown): TokenUsage | null {
  const usage = tokenUsage(value);
  if (!usage || !isRecord(value)) return usage;
  const cached = countTokens(value["cache_read_input_tokens"]);
  const written = countTokens(value["cache_creation_input_tokens"]);
  const kept = isRecord(value["cache_creation"])
    ? countTokens(value["cache_creation"]["ephemeral_1h_input_tokens"])
    : 0;
  const prompt = usage.prompt_tokens + cached + written;
  return {
    ...usage,
    prompt_tokens: prompt,
    total_tokens: prompt + usage.completion_tokens,
    prompt_tokens_details: cached + written > 0 ? anthropicInputDetails({ cached, written, kept }) : null,
    completion_tokens_details: anthropicOutputDetails(usage),
  };
}

/** `kept`: tokens written for an hour, which cost more than the usual five minutes. */
function anthropicInputDetails({ cached, written, kept }: { cached: number; written: number; kept: number }) {
  const usual = { cached_tokens: cached, cache_write_tokens: written };
  return kept > 0 ? { ...usual, cache_write_1h_tokens: kept } : usual;
}

/** Renames the count of reasoning tokens to the usual name. */
function anthropicOutputDetails({
  completion_tokens_details: details,
}: TokenUsage): TokenUsage["completion_tokens_details"] {
  if (details?.["thinking_tokens"] === undefined) return details;
  const { thinking_tokens, ...others } = details;
  return { reasoning_tokens: thinking_tokens, ...others };
}

function countTokens(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

const meanings: Readonly<Record<string, ErrorCode>> = {
  invalid_request_error: "upstream_rejected",
  request_too_large: "upstream_rejected",
  authentication_error: "upstream_auth",
  permission_error: "upstream_auth",
  not_found_error: "model_not_found",
  rate_limit_error: "upstream_rate_limited",
  timeout_error: "upstream_timeout",
  overloaded_error: "upstream_error",
  api_error: "upstream_error",
};

/** Explains an error status of the messages API. Gateways in front of it use OpenAI's format, which is read too. */
export function explainAnthropicFailure(response: FailedResponse): Explanation | null {
  const { status, url, body } = response;
  const { type, message } = errorParts(errorInMessage(body));
  if (status === 529) return { code: "upstream_error", detail: `HTTP 529: ${url.host} is overloaded.` };
  if (type === "not_found_error" && message.startsWith("model")) {
    return { code: "model_not_found", detail: `HTTP ${status}: the endpoint does not know this model.` };
  }
  if (status === 400 && message.includes("credit balance")) {
    return withoutCredit("HTTP 400", url);
  }
  return explainOpenaiFailure(response);
}

/** Explains an error inside a 200 answer or a stream. */
export function explainAnthropicError(error: unknown, url: URL): Explanation {
  const { type } = errorParts(error);
  const general = explainErrorObject(error, url);
  const code = Object.hasOwn(meanings, type) ? meanings[type] : undefined;
  if (!code || general.code !== "upstream_error") return general;
  return { code, detail: `The answer is an error (${type}) although HTTP called it a success.` };
}

function errorInMessage(body: string): unknown {
  const answer = parseJson(body);
  return isRecord(answer) ? answer["error"] : undefined;
}

/** Lower case and bounded; only searched, never passed on. */
function errorParts(error: unknown): { type: string; message: string } {
  if (!isRecord(error)) return { type: "", message: "" };
  return { type: part(error["type"]), message: part(error["message"]) };
}

function part(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 2000).toLowerCase() : "";
}

/**
 * The joined text of these blocks; null without a text block. Citations are blocks in the middle of a sentence, so texts are
 * separated only where another kind of block is between them.
 */
export function blocksText(blocks: readonly unknown[]): string | null {
  let text: string | null = null;
  let apart = false;
  for (const block of blocks) {
    const piece = contentText([block]);
    if (piece === null) apart = true;
    else if (piece === "") text ??= piece;
    else {
      const before: string = text ?? "";
      text = before + (apart ? separatorAfter(before) : "") + piece;
      apart = false;
    }
  }
  return text;
}
