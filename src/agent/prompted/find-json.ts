/** Where a part of a text begins and ends. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * The first `{…}` or `[…]` at or after `from` whose brackets balance, strings respected. Null when it never closes; whether
 * it is valid JSON is for the parser to say.
 */
export function findValue(text: string, from = 0): TextSpan | null {
  const offset = text.slice(from).search(/[{[]/);
  if (offset === -1) return null;
  const start = from + offset;
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === "\\") index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") depth += 1;
    else if ((character === "}" || character === "]") && --depth === 0) return { start, end: index + 1 };
  }
  return null;
}
