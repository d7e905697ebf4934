import { parsePythonLiteral } from "./parse-python-literal.ts";
import { isConversation } from "./read-message.ts";
import { listField } from "./records.ts";
import { unpackJson } from "./unpack-json.ts";

/**
 * The conversation that a cell of a table holds, as JSON or as Python prints it: its messages, or an object with them. Undefined for
 * any other text.
 */
export function unpackConversation(cell: unknown): object | undefined {
  if (typeof cell !== "string" || !/^\s*[[{]/.test(cell)) return undefined;
  const json = unpackJson(cell);
  const value = typeof json === "string" ? parsePythonLiteral(cell) : json;
  const isKnown = [value, listField(value, "messages")].some(isConversation);
  return isKnown ? (value as object) : undefined;
}
