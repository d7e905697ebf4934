import { isRecord, type JsonRecord } from "../../../base/json.ts";
import type { ReplyError } from "../../../contract/ports/chat-model.ts";
import { explainErrorObject } from "../openai-error.ts";
import { parseJson } from "../reply/json-values.ts";
import { explainedError, invalid, type AnswerContext } from "../reply/parsed-reply.ts";
import type { ReplyCollector, ServerSentEvent, StreamListeners } from "../reply/reply-stream.ts";
import { firstChoice } from "./reply.ts";
import { StreamedReply } from "./streamed-reply.ts";

/** Collects a streamed chat completion. */
export function collectOpenaiStream(context: AnswerContext, listeners: StreamListeners): ReplyCollector {
  const reply = new StreamedReply(listeners);
  const chunks = new TextChunks();

  function add({ event, data }: ServerSentEvent): "more" | ReplyError {
    const chunk = parseJson(data);
    const error = isRecord(chunk) ? errorIn(chunk) || (event === "error" && chunk) : event === "error" && data;
    if (error) return streamError(error, context);
    if (!isRecord(chunk)) return invalid(context, "The stream holds an event that is not a JSON object.");
    reply.add(chunk);
    chunks.learn(data, chunk);
    return "more";
  }

  return {
    add(event) {
      const text = event.event === "message" ? chunks.read(event.data) : null;
      if (text === null) return event.data.trim() === "[DONE]" ? "done" : add(event);
      reply.addText(text);
      return "more";
    },
    finish: (options) => reply.finish(context, options),
  };
}

/** Some servers put the error that ends a stream into its choice, Groq into a field of its own. */
function errorIn(chunk: JsonRecord): unknown {
  const { error, x_groq } = chunk;
  return error || firstChoice(chunk["choices"])?.["error"] || (isRecord(x_groq) && x_groq["error"]);
}

/** Explains an error inside the stream of an OpenAI-compatible server. */
export function streamError(error: unknown, context: AnswerContext): ReplyError {
  const explained = explainErrorObject(error, new URL(context.url));
  // The user has to fix a rejected request, so its explanation is kept.
  if (explained.code === "upstream_rejected") return explainedError(explained, context);
  return explainedError({ ...explained, detail: "The stream ended with an error from the endpoint." }, context);
}

/** After this many attempts every chunk is parsed in full: the chunks differ in more than their text. */
const mostLessons = 4;

/** A JSON string without escapes: its value is the text between the quotes. */
const plainString = /^"[ !#-[\]-\uffff]*"$/;

/**
 * Reads chunks quickly. The hundreds of chunks of a stream are the same JSON except for their text: once the part before and
 * the part after the text are known, only the text has to be parsed.
 */
export class TextChunks {
  #before = "";
  #after = "";
  #lessons = 0;

  /** The text of a chunk like the learned one; null when it must be parsed in full. */
  read(data: string): string | null {
    const start = this.#before.length;
    const end = data.length - this.#after.length;
    if (start === 0 || end < start) return null;
    // Comparing two whole strings is many times faster than `startsWith`.
    if (data.slice(0, start) !== this.#before || data.slice(end) !== this.#after) return null;
    // The value must be one JSON string: then the chunk differs from the learned one only in it.
    const value = data.slice(start, end);
    if (plainString.test(value)) return value.slice(1, -1);
    const text = parseJson(value);
    return typeof text === "string" ? text : null;
  }

  /** Learns from a fully parsed chunk that has nothing but text. */
  learn(data: string, chunk: unknown): void {
    if (this.#lessons >= mostLessons) return;
    const text = onlyText(chunk);
    if (text === null) return;
    this.#lessons += 1;
    const written = JSON.stringify(text);
    const field = ['"content":', '"content": '].find((name) => data.includes(name + written));
    if (field === undefined) return;
    const start = data.indexOf(field + written) + field.length;
    const before = data.slice(0, start);
    const after = data.slice(start + written.length);
    // Proof that this is the right place: another text put there is read back.
    const other = `${text}?`;
    if (onlyText(parseJson(`${before}${JSON.stringify(other)}${after}`)) !== other) return;
    this.#before = before;
    this.#after = after;
  }
}

const chunkFields = ["usage", "metadata", "error", "x_groq"];
const otherFields = [
  "function_call",
  "refusal",
  "metadata",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "extra_content",
];
const otherParts = ["finish_reason", "error", "logprobs", "message"];

/** The text of a chunk that has text and no other relevant field. */
function onlyText(chunk: unknown): string | null {
  if (!isRecord(chunk) || chunkFields.some((key) => chunk[key])) return null;
  const choices = chunk["choices"];
  const choice = Array.isArray(choices) && choices.length === 1 ? firstChoice(choices) : null;
  if (!choice || otherParts.some((key) => choice[key]) || !isRecord(choice["delta"])) return null;
  const { content, tool_calls, ...delta } = choice["delta"];
  if (typeof content !== "string" || content === "") return null;
  const calls = Array.isArray(tool_calls) ? tool_calls.length > 0 : Boolean(tool_calls);
  return calls || otherFields.some((key) => delta[key]) ? null : content;
}
