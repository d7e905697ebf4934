import { jsonStringEnd } from "./json-string-end.ts";

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
    return parseExact(withJsonNumbers(text));
  }
}

/** Those words, and where strings begin, in which they are only words. */
const constants = /"|-?\bInfinity\b|\bNaN\b/g;

/** NaN is how Python says that there is no number. */
function withJsonNumbers(text: string): string {
  let written = "";
  let copied = 0;
  constants.lastIndex = 0;
  for (let match = constants.exec(text); match; match = constants.exec(text)) {
    const [word] = match;
    if (word === '"') {
      constants.lastIndex = jsonStringEnd(text, match.index);
      continue;
    }
    written += text.slice(copied, match.index) + (word === "NaN" ? "null" : word.replace("Infinity", "1e999"));
    copied = constants.lastIndex;
  }
  return written + text.slice(copied);
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
