import { isRecord, type JsonRecord } from "../../contract/json-record.ts";
import { plainRecord } from "./json-values.ts";

/**
 * How a model came to its calls, as a message or the pieces of one tell it: DeepSeek and Kimi refuse to go on without their
 * `reasoning_content`, models behind OpenRouter without their `reasoning_details`.
 */
export class ReasoningFields {
  #content: string | null = null;
  readonly #details: Map<string, unknown>[] = [];

  add({ reasoning_content, reasoning_details }: JsonRecord): void {
    // An empty one counts: the field has to be there.
    if (typeof reasoning_content === "string") this.#content = (this.#content ?? "") + reasoning_content;
    if (Array.isArray(reasoning_details)) for (const part of reasoning_details.filter(isRecord)) this.#addDetail(part);
  }

  finish(): JsonRecord | null {
    if (this.#content === null && this.#details.length === 0) return null;
    return plainRecord({
      ...(this.#content !== null && { reasoning_content: this.#content }),
      ...(this.#details.length > 0 && { reasoning_details: this.#details.map((fields) => Object.fromEntries(fields)) }),
    });
  }

  /** A stream tells one block in many pieces of the same index. Encrypted ones come whole. */
  #addDetail(part: JsonRecord): void {
    const last = this.#details.at(-1);
    const goesOn = last?.get("type") === part["type"] && last?.get("index") === part["index"] && !("data" in part);
    if (last && goesOn) goOnWith(last, part);
    else this.#details.push(new Map(Object.entries(part)));
  }
}

const texts = new Set(["text", "summary"]);

/** Added in place: a block copied for every piece would take quadratic time. */
function goOnWith(block: Map<string, unknown>, part: JsonRecord): void {
  for (const [name, value] of Object.entries(part)) {
    const known = block.get(name);
    const isLonger = texts.has(name) && typeof known === "string" && typeof value === "string";
    if (value !== null) block.set(name, isLonger ? known + value : value);
  }
}
