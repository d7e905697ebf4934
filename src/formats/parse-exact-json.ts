import { replaceBareNumbers } from "../base/json-text.ts";

/** What a reviver is told beside key and value; the types do not know it yet. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/**
 * `JSON.parse`, but a whole number too long to be kept exactly, such as an id of 19 digits, is the text that was written, and what Python
 * writes for numbers that JSON has no word for is read: Inspect's logs are full of it.
 */
export function parseExactJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    // NaN is how Python says that there is no number.
    return parseExact(
      replaceBareNumbers(text, (word) => (word === "NaN" ? "null" : word.replace("Infinity", "1e999"))),
    );
  }
}

function parseExact(text: string): unknown {
  // A reviver costs several times the parsing, and few files have such numbers.
  if (!/[[:,\s]-?\d{16,}[\s,\]}]/.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1]);
}

const keepDigits: Reviver = (_key, value, { source = "" }) =>
  typeof value === "number" && losesDigits(value, source) ? source : value;

/** Whether a number is another one than its digits say. */
export const losesDigits = (value: number, source: string): boolean =>
  /^-?\d+$/.test(source) && !Number.isSafeInteger(value) && String(value) !== source;

/** The same text with numbers of JSON in place of Python's words, as long as these, so that everything stays in its place. */
export const withPlainNumbers = (text: string): string =>
  /NaN|Infinity/.test(text) ? replaceBareNumbers(text, (word) => "0".padEnd(word.length)) : text;
