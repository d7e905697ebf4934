/**
 * The place behind the string that begins at `start` of a JSON text; the end of the text where it has none. A pattern would have to
 * remember each of its escapes, and gives up after some millions of them.
 */
export function jsonStringEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    if (!isEscaped(text, quote)) return quote + 1;
  }
  return text.length;
}

/** Of two backslashes the first is for the second. */
function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text[first - 1] === "\\") first -= 1;
  return (index - first) % 2 === 1;
}
