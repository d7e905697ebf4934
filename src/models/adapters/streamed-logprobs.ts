import type { JsonRecord } from "../../base/json.ts";
import { plainRecord } from "./json-values.ts";

/** Puts the log probabilities of a stream together: its lists go on from chunk to chunk. */
export class StreamedLogprobs {
  readonly #fields = new Map<string, unknown>();

  add(part: unknown): void {
    for (const [key, value] of Object.entries(plainRecord(part) ?? {})) {
      const known = this.#fields.get(key);
      if (!Array.isArray(value)) this.#fields.set(key, value ?? known ?? null);
      // Added in place: a list copied for every token would take quadratic time.
      else if (Array.isArray(known)) for (const item of value) known.push(item);
      else this.#fields.set(key, [...value]);
    }
  }

  finish(): JsonRecord | null {
    return this.#fields.size === 0 ? null : Object.fromEntries(this.#fields);
  }
}
