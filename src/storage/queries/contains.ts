import { sql, type Expression, type SqlBool } from "kysely";
import { toJsonText } from "../json-text.ts";

/** A text as it stands inside JSON text, with the pattern's own signs made harmless. Databases differ in their usual escape. */
export function contains(column: Expression<string>, text: string): Expression<SqlBool> {
  const bare = toJsonText(text).slice(1, -1);
  const inner = lineByLine.reduce((json, [escaped, plain]) => json.replaceAll(escaped, plain), bare);
  const lines = lineByLine.reduce<Expression<string>>(
    (stored, [escaped, plain]) => sql<string>`replace(${stored}, ${escaped}, ${plain})`,
    column,
  );
  return sql<SqlBool>`${lines} like ${`%${inner.replaceAll(/[%_!]/g, "!$&")}%`} escape '!'`;
}

/**
 * Breaks lines as they were: the last letter of a line break inside JSON would be found like any other. A backslash of the text
 * itself steps aside before that, as a sign that JSON never holds.
 */
const lineByLine = [
  ["\\\\", "\u0001"],
  ["\\n", "\n"],
] as const;
