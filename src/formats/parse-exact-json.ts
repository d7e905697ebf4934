/** What a reviver is told beside key and value; the types do not know it yet. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** `JSON.parse`, but a whole number too long to be kept exactly, such as an id of 19 digits, is the text that was written. */
export function parseExactJson(text: string): unknown {
  // A reviver costs several times the parsing, and few files have such numbers.
  if (!/[[:,\s]-?\d{16,}[\s,\]}]/.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1]);
}

const keepDigits: Reviver = (_key, value, { source = "" }) =>
  typeof value === "number" && losesDigits(value, source) ? source : value;

/** Whether a number is another one than its digits say. */
export const losesDigits = (value: number, source: string): boolean =>
  /^-?\d+$/.test(source) && !Number.isSafeInteger(value) && String(value) !== source;
