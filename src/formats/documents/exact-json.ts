import { replaceNonFiniteNumbers } from "../../base/json-text.ts";

/** TypeScript's types lack the reviver's third argument. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/**
 * `JSON.parse`, with two additions: an integer that a number cannot represent exactly (an id of 19 digits) stays text, and Python's
 * `NaN` and `Infinity`, common in Inspect logs, are accepted.
 */
export function parseExactJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    // Python writes NaN for a missing number.
    return parseExact(
      replaceNonFiniteNumbers(text, (word) => (word === "NaN" ? "null" : word.replace("Infinity", "1e999"))),
    );
  }
}

function parseExact(text: string): unknown {
  // Parsing with a reviver is several times slower, and few files have such numbers.
  if (!/[[:,\s]-?\d{16,}[\s,\]}]/.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1]);
}

const keepDigits: Reviver = (_key, value, { source = "" }) =>
  typeof value === "number" && losesDigits(value, source) ? source : value;

/** True if parsing changed the digits of an integer. */
export const losesDigits = (value: number, source: string): boolean =>
  /^-?\d+$/.test(source) && !Number.isSafeInteger(value) && String(value) !== source;

/** Replaces Python's number words by JSON numbers of the same length, so that positions stay valid. */
export const withPlainNumbers = (text: string): string =>
  /NaN|Infinity/.test(text) ? replaceNonFiniteNumbers(text, (word) => "0".padEnd(word.length)) : text;

/** Parses a text that is JSON; returns any other value unchanged. */
export function parseIfJson(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{"]/.test(value)) return value;
  try {
    return parseExactJson(value);
  } catch {
    return value;
  }
}
