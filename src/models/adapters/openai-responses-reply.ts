import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ReplyError, ToolCall } from "../../contract/ports/chat-model.ts";
import { withEchoes } from "./call-echo.ts";
import { explainedError, replyError } from "./failed-reply.ts";
import { labels, nonEmptyString, plainRecord } from "./json-values.ts";
import { contentText, messageToolCalls, refusalText } from "./message-content.ts";
import { explainErrorObject } from "./openai-error.ts";
import { parseJson } from "./parse-json.ts";
import {
  finishReason,
  heldBack,
  invalid,
  noContent,
  notJson,
  type AnswerContext,
  type ParsedReply,
} from "./parsed-reply.ts";
import { pauseAfter } from "./pause-after.ts";
import { tokenUsage } from "./token-usage.ts";

const limits = new Set(["max_output_tokens", "max_tokens"]);

/** Reads an answer of the responses API. What cannot be understood is an error, never a crash. */
export function parseResponsesReply(body: string, context: AnswerContext): ParsedReply | ReplyError {
  const answer = parseJson(body);
  return isRecord(answer) ? fromResponse(answer, context) : invalid(context, notJson(body));
}

/** Reads one response object: the whole of an answer, or the last event of a stream. */
export function fromResponse(response: JsonRecord, context: AnswerContext): ParsedReply | ReplyError {
  if (response["error"] || response["status"] === "failed") {
    return explainedError(explainErrorObject(response["error"], new URL(context.url)), context);
  }
  const status = nonEmptyString(response["status"]) ?? "completed";
  if (status !== "completed" && status !== "incomplete") {
    return replyError("upstream_error", "The endpoint gave up the response before it was complete.", context);
  }
  if (!Array.isArray(response["output"])) return invalid(context, "The answer holds no output.");
  return toReply(response, response["output"].filter(isRecord), context);
}

function toReply(
  response: JsonRecord,
  output: readonly JsonRecord[],
  context: AnswerContext,
): ParsedReply | ReplyError {
  // Reasoning and the records of hosted tools are neither what the model says nor what it asks us to do.
  const messages = output.filter((item) => item["type"] === "message" || "role" in item);
  const texts = messages.flatMap((message) => contentText(message["content"]) ?? []);
  const refusals = messages.flatMap((message) => refusalText(message) ?? []);
  const toolCalls = withEchoes(functionCalls(output), { source: context.source, message: reasoningEcho(output) });
  const finish = incompleteReason(response);
  const thought = reasoningIn(output);
  const text = texts.reduce((before, next) => before + (next === "" ? "" : pauseAfter(before)) + next, "");
  const refusal = refusals.join("\n") || (text === "" ? heldBack(finish) : null);
  if (texts.length === 0 && refusal === null && toolCalls.length === 0) {
    return invalid(context, foreignCall(output) ?? noContent(finish));
  }
  return {
    ok: true,
    text,
    ...(thought !== "" && { reasoning: thought }),
    refusal,
    tool_calls: toolCalls,
    finish_reason: finishReason(finish, toolCalls.length > 0),
    usage: tokenUsage(response["usage"]),
    model: nonEmptyString(response["model"]) ?? context.modelId,
    completion_id: nonEmptyString(response["id"]) ?? "",
    system_fingerprint: nonEmptyString(response["system_fingerprint"]),
    service_tier: nonEmptyString(response["service_tier"]),
    logprobs: firstLogprobs(messages),
    metadata: responseLabels(response, messages, context),
    tries: context.tries,
  };
}

/** Open models tell what they thought as it was, others in summaries. */
function reasoningIn(output: readonly JsonRecord[]): string {
  const items = output.filter((item) => item["type"] === "reasoning");
  const texts = items.flatMap(({ content, summary }) => [...partTexts(content), ...partTexts(summary)]);
  return texts.join("\n\n");
}

/**
 * What a model that thinks goes on from after its calls: sealed, as OpenAI gives it, or plain, as servers of open models do. Without
 * either, an item is known only to a server that stores it. Thoughts between the calls are left out, since the API wants each before
 * what it led to.
 */
function reasoningEcho(output: readonly JsonRecord[]): JsonRecord | null {
  const isThought = ({ type }: JsonRecord) => type === "reasoning";
  const items = output.filter(isThought);
  const areFirst = output.slice(0, items.length).every(isThought);
  const kept = items.flatMap((item) => toKept(item) ?? []);
  return areFirst && kept.length > 0 && kept.length === items.length ? plainRecord({ reasoning_items: kept }) : null;
}

function toKept({ type, id, summary, content, encrypted_content }: JsonRecord): JsonRecord | null {
  const own = { type, id, summary: Array.isArray(summary) ? summary : [] };
  if (nonEmptyString(encrypted_content)) return { ...own, encrypted_content };
  return partTexts(content).length > 0 ? { ...own, content } : null;
}

function partTexts(parts: unknown): readonly string[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part) => (isRecord(part) ? (nonEmptyString(part["text"]) ?? []) : []));
}

function functionCalls(output: readonly JsonRecord[]): readonly ToolCall[] {
  const calls = output.filter((item) => item["type"] === "function_call");
  // `id` names the item; `call_id` is what the tool's answer has to repeat.
  return messageToolCalls({ tool_calls: calls.map((item) => ({ ...item, id: item["call_id"] ?? item["id"] })) });
}

/** A call that somebody has to answer and that is not of a function: of a shell, a computer, a tool with free text, which we never offer. */
function foreignCall(output: readonly JsonRecord[]): string | null {
  const types = output.flatMap(({ type, call_id }) => (nonEmptyString(call_id) ? (nonEmptyString(type) ?? []) : []));
  const found = types.find((type) => /^[a-z_]{1,40}_call$/.test(type) && type !== "function_call");
  return found === undefined
    ? null
    : `The model answered with a ${found}: it was offered no such tool, and only functions can be called here.`;
}

function incompleteReason(response: JsonRecord): string | null {
  const details = response["incomplete_details"];
  const reason = isRecord(details) ? nonEmptyString(details["reason"]) : null;
  if (reason === null) return response["status"] === "incomplete" ? "incomplete" : null;
  return limits.has(reason) ? "length" : reason;
}

function firstLogprobs(messages: readonly JsonRecord[]): JsonRecord | null {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isRecord) : []));
  const found = blocks.map(({ logprobs }) => logprobs).find((value) => Array.isArray(value) && value.length > 0);
  return found === undefined ? null : plainRecord({ content: found });
}

/** Labels the endpoint attached. Metadata that we sent comes back in the same field, and is no label. */
function responseLabels(response: JsonRecord, messages: readonly JsonRecord[], { request }: AnswerContext) {
  const own = messages.map((message) => labels(message["metadata"])).find((found) => found !== null);
  if (own) return own;
  return request.parameters?.extra?.["metadata"] === undefined ? labels(response["metadata"]) : null;
}
