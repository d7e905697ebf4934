import { isRecord } from "../../base/json.ts";
import { firstChoice } from "./first-choice.ts";
import { parseJson } from "./parse-json.ts";

/** A stream whose chunks differ in more than their text is read in full after so many attempts. */
const mostLessons = 4;

/** A JSON string without escapes: it says what stands between its quotes. */
const plainString = /^"[ !#-[\]-\uffff]*"$/;

/**
 * Reads chunks that repeat each other. The hundreds of chunks of a stream are the same JSON but for their piece of text: once
 * what stands before and after it is known, the piece is all that has to be parsed.
 */
export class TextChunks {
  #before = "";
  #after = "";
  #lessons = 0;

  /** The text of a chunk that is like the one learned; null when it must be read in full. */
  read(data: string): string | null {
    const start = this.#before.length;
    const end = data.length - this.#after.length;
    if (start === 0 || end < start) return null;
    // Two whole texts are compared many times faster than `startsWith` goes through one.
    if (data.slice(0, start) !== this.#before || data.slice(end) !== this.#after) return null;
    // Only a whole JSON string stands for one: then the chunk differs from the one learned in this value alone.
    const value = data.slice(start, end);
    if (plainString.test(value)) return value.slice(1, -1);
    const text = parseJson(value);
    return typeof text === "string" ? text : null;
  }

  /** Learns from a chunk that was read in full, if it brought nothing but text. */
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
    // The proof that this is the place: another text there is what would be read.
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

/** The text of a chunk that brings some and nothing else that counts. */
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
