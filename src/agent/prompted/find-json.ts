/** Where a JSON value begins and ends in a text. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * The first `{…}` at or after `from` whose braces balance, strings respected. Null when it never closes; whether it is
 * valid JSON is for the parser to say.
 */
export function findObject(text: string, from = 0): JsonSpan | null {
  const start = text.indexOf("{", from);
  if (start === -1) return null;
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === "\\") index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{") depth += 1;
    else if (character === "}" && --depth === 0) return { start, end: index + 1 };
  }
  return null;
}
