import { parseExactJson } from "./parse-exact-json.ts";

/** What a text that is JSON stands for; anything else is itself. */
export function unpackJson(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{"]/.test(value)) return value;
  try {
    return parseExactJson(value);
  } catch {
    return value;
  }
}
