/**
 * What sets a text apart from the one before it in the same reply, where a search, a call or a thought came between. Models leave that to
 * whoever shows them: without it the last word of the one and the first of the other would be read as one.
 */
export function pauseAfter(before: string): string {
  return before === "" || /\s$/.test(before) ? "" : "\n\n";
}
