import { compact } from "../../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import type { ReplyError, ToolCall } from "../../../contract/ports/chat-model.ts";
import { withOpaqueMetadata } from "../opaque-metadata.ts";
import { streamError } from "../openai-chat/stream.ts";
import { explainErrorObject } from "../openai-error.ts";
import { labels, nonEmptyString, parseJson, plainRecord } from "../reply/json-values.ts";
import { contentText, messageToolCalls, separatorAfter, refusalText } from "../reply/message-content.ts";
import {
  explainedError,
  finishReason,
  withheldReply,
  invalid,
  noContent,
  notJson,
  replyError,
  tokenUsage,
  type AnswerContext,
  type ParsedReply,
} from "../reply/parsed-reply.ts";
import type { ReplyCollector, ServerSentEvent, StreamListeners } from "../reply/reply-stream.ts";

const limits = new Set(["max_output_tokens", "max_tokens"]);

/** Reads an answer of the responses API. An unreadable answer is an error, never an exception. */
export function parseResponsesReply(body: string, context: AnswerContext): ParsedReply | ReplyError {
  const answer = parseJson(body);
  return isRecord(answer) ? fromResponse(answer, context) : invalid(context, notJson(body));
}

/** Reads one response object: an answer, or the last event of a stream. */
function fromResponse(response: JsonRecord, context: AnswerContext): ParsedReply | ReplyError {
  if (response["error"] || response["status"] === "failed") {
    return explainedError(explainErrorObject(response["error"], new URL(context.url)), context);
  }
  const status = nonEmptyString(response["status"]) ?? "completed";
  if (status !== "completed" && status !== "incomplete") {
    return replyError("upstream_error", "The endpoint gave up the response before it was complete.", context);
  }
  if (!Array.isArray(response["output"])) return invalid(context, "The answer holds no output.");
  return toResponseReply(response, response["output"].filter(isRecord), context);
}

function toResponseReply(
  response: JsonRecord,
  output: readonly JsonRecord[],
  context: AnswerContext,
): ParsedReply | ReplyError {
  // Reasoning and the records of hosted tools are neither text nor calls for us.
  const messages = output.filter((item) => item["type"] === "message" || "role" in item);
  const texts = messages.flatMap((message) => contentText(message["content"]) ?? []);
  const refusals = messages.flatMap((message) => refusalText(message) ?? []);
  const toolCalls = withOpaqueMetadata(functionCalls(output), {
    source: context.source,
    message: opaqueReasoning(output),
  });
  const finish = incompleteReason(response);
  const thought = reasoningIn(output);
  const text = texts.reduce((before, next) => before + (next === "" ? "" : separatorAfter(before)) + next, "");
  const refusal = refusals.join("\n") || (text === "" ? withheldReply(finish) : null);
  if (texts.length === 0 && refusal === null && toolCalls.length === 0) {
    return invalid(context, foreignCall(output) ?? noContent(finish));
  }
  return compact({
    ok: true,
    text,
    reasoning: thought !== "" ? thought : undefined,
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
  });
}

/** Open models send their reasoning in full, others as summaries. */
function reasoningIn(output: readonly JsonRecord[]): string {
  const items = output.filter((item) => item["type"] === "reasoning");
  const texts = items.flatMap(({ content, summary }) => [...partTexts(content), ...partTexts(summary)]);
  return texts.join("\n\n");
}

/**
 * The reasoning items that the model needs after its tool calls: encrypted from OpenAI, in plain text from servers of open
 * models. An item with neither is usable only by a server that stores it. Items between calls are dropped, because the API
 * requires each before its call.
 */
function opaqueReasoning(output: readonly JsonRecord[]): JsonRecord | null {
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

/** A call of a tool that is not a function (a shell, a computer, a free-text tool), which we never offer. */
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

/** Labels of the endpoint. Metadata of the request is returned in the same field and does not count. */
function responseLabels(response: JsonRecord, messages: readonly JsonRecord[], { request }: AnswerContext) {
  const own = messages.map((message) => labels(message["metadata"])).find((found) => found !== null);
  if (own) return own;
  return request.parameters?.extra?.["metadata"] === undefined ? labels(response["metadata"]) : null;
}

const lastEvents = new Set(["response.completed", "response.incomplete", "response.failed", "response.done"]);

const thoughts = new Set(["response.reasoning_text.delta", "response.reasoning_summary_text.delta"]);

/** Collects a streamed response. The last event repeats all of it; the earlier ones serve the listeners. */
export function collectResponsesStream(context: AnswerContext, listeners: StreamListeners): ReplyCollector {
  const reply = new StreamedResponse(context, listeners);
  return {
    add: (event) => (event.data.trim() === "[DONE]" ? "done" : reply.add(event)),
    finish: () => reply.finish(),
  };
}

class StreamedResponse {
  readonly #context: AnswerContext;
  readonly #listeners: StreamListeners;
  readonly #items: JsonRecord[] = [];
  #text = "";
  /** Index of the current message. */
  #place: unknown = null;
  /** The current part of the reasoning: parts are separated. */
  #thinking: string | null = null;
  #last: JsonRecord | null = null;

  constructor(context: AnswerContext, listeners: StreamListeners) {
    this.#context = context;
    this.#listeners = listeners;
  }

  add({ event, data }: ServerSentEvent): "more" | "done" | ReplyError {
    const body = parseJson(data);
    if (!isRecord(body)) return invalid(this.#context, "The stream holds an event that is not a JSON object.");
    const type = typeof body["type"] === "string" ? body["type"] : event;
    if (type === "error" || (body["error"] && !body["response"])) {
      return streamError(body["error"] || body, this.#context);
    }
    if (lastEvents.has(type) && isRecord(body["response"])) {
      this.#last = body["response"];
      return "done";
    }
    this.#addPiece(type, body);
    return "more";
  }

  finish(): ParsedReply | ReplyError {
    if (!this.#last) return invalid(this.#context, "The stream ended before the reply was complete.");
    const reply = fromResponse(this.#complete(this.#last), this.#context);
    if (!("ok" in reply)) return reply;
    if (this.#thinking === null && reply.reasoning !== undefined) this.#listeners.onReasoning(reply.reasoning);
    if (this.#text === "" && reply.text !== "") this.#listeners.onText(reply.text);
    return reply;
  }

  #addPiece(type: string, { delta, item, output_index, summary_index, content_index }: JsonRecord): void {
    if (type === "response.output_item.done" && isRecord(item)) this.#items.push(item);
    if (typeof delta !== "string" || delta === "") return;
    if (type === "response.output_text.delta") {
      const piece = (this.#place === output_index ? "" : separatorAfter(this.#text)) + delta;
      this.#place = output_index;
      this.#text += piece;
      this.#listeners.onToken();
      this.#listeners.onText(piece);
    } else if (thoughts.has(type)) {
      const place = JSON.stringify([output_index, summary_index, content_index]);
      const pause = this.#thinking !== null && this.#thinking !== place ? "\n\n" : "";
      this.#thinking = place;
      this.#listeners.onReasoning(pause + delta);
    } else if (type === "response.function_call_arguments.delta" || type === "response.refusal.delta") {
      this.#listeners.onToken();
    }
  }

  /** Some servers omit the output in the last event; it is then built from the earlier events. */
  #complete(last: JsonRecord): JsonRecord {
    if (Array.isArray(last["output"]) && last["output"].length > 0) return last;
    if (this.#items.length > 0) return { ...last, output: this.#items };
    return this.#text === "" ? last : { ...last, output: [{ type: "message", content: this.#text }] };
  }
}
