import { sql, type Expression, type SqlBool } from "kysely";
import { toJsonText } from "../tables/text-columns.ts";

/**
 * True when a JSON text column contains this text. Pattern characters are escaped explicitly, because databases differ
 * in their default escape.
 */
export function containsText(column: Expression<string>, text: string): Expression<SqlBool> {
  const bare = toJsonText(text).slice(1, -1);
  const inner = unescapes.reduce((json, [escaped, plain]) => json.replaceAll(escaped, plain), bare);
  const lines = unescapes.reduce<Expression<string>>(
    (stored, [escaped, plain]) => sql<string>`replace(${stored}, ${escaped}, ${plain})`,
    column,
  );
  return sql<SqlBool>`${lines} like ${`%${inner.replaceAll(/[%_!]/g, "!$&")}%`} escape '!'`;
}

/** Ignores case. Databases fold only ASCII letters, so the other letters of the text are replaced one by one. */
export function containsIgnoringCase(column: Expression<string>, text: string): Expression<SqlBool> {
  const small = text.toLowerCase();
  const foreign = new Set([...small].filter((letter) => letter > "\x7f" && letter.toUpperCase() !== letter));
  const folded = [...foreign]
    .slice(0, mostFolded)
    .reduce<Expression<string>>(
      (stored, letter) => sql<string>`replace(${stored}, ${letter.toUpperCase()}, ${letter})`,
      sql`lower(${column})`,
    );
  return sql<SqlBool>`(${containsText(folded, small)} or ${containsText(column, text)})`;
}

/**
 * Restores line breaks: otherwise the "n" of an escaped line break would match a search. Escaped backslashes are
 * replaced first, by a character that JSON text never contains.
 */
const unescapes = [
  ["\\\\", "\u0001"],
  ["\\n", "\n"],
] as const;

/** Each folded letter nests one more function call, and databases limit the nesting. */
const mostFolded = 100;
