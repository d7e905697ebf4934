import { isRecord, plainRecord, type JsonRecord } from "./json-values.ts";

/**
 * How a model came to its calls, as a message or the pieces of one tell it: DeepSeek and Kimi refuse to go on without their
 * `reasoning_content`, models behind OpenRouter without their `reasoning_details`.
 */
export class ReasoningFields {
  #content: string | null = null;
  readonly #details: JsonRecord[] = [];

  add({ reasoning_content, reasoning_details }: JsonRecord): void {
    // An empty one counts: the field has to be there.
    if (typeof reasoning_content === "string") this.#content = (this.#content ?? "") + reasoning_content;
    if (Array.isArray(reasoning_details)) for (const part of reasoning_details.filter(isRecord)) this.#addDetail(part);
  }

  finish(): JsonRecord | null {
    if (this.#content === null && this.#details.length === 0) return null;
    return plainRecord({
      ...(this.#content !== null && { reasoning_content: this.#content }),
      ...(this.#details.length > 0 && { reasoning_details: this.#details }),
    });
  }

  /** A stream tells one block in many pieces of the same index. Encrypted ones come whole. */
  #addDetail(part: JsonRecord): void {
    const last = this.#details.at(-1);
    const goesOn = last && last["type"] === part["type"] && last["index"] === part["index"] && !("data" in part);
    if (!goesOn) this.#details.push(part);
    else this.#details[this.#details.length - 1] = joined(last, part);
  }
}

const texts = ["text", "summary"] as const;

function joined(last: JsonRecord, part: JsonRecord): JsonRecord {
  const known = Object.entries(part).filter(([, value]) => value !== null);
  const longer = texts.flatMap((name) =>
    typeof last[name] === "string" && typeof part[name] === "string" ? [[name, last[name] + part[name]] as const] : [],
  );
  return { ...last, ...Object.fromEntries(known), ...Object.fromEntries(longer) };
}
