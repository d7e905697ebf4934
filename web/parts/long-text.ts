/** Longer texts take a browser noticeably long to lay out. */
const longest = 50_000;

export const isLong = ({ length }: { readonly length: number }): boolean => length > longest;

/** As much of a text as is shown at first. No character is cut in two. */
export const beginningOf = (text: string, length = longest): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");

/** The end of a text that is being written. */
export const endOf = (text: string): string =>
  isLong(text) ? text.slice(-longest).replace(/^[\uDC00-\uDFFF]/, "") : text;

/** As much of a text in parts as is shown at first. */
export function beginningOfParts<Part extends { readonly text: string }>(parts: readonly Part[]): readonly Part[] {
  let room = longest;
  return parts.flatMap((part) => {
    const text = beginningOf(part.text, room);
    room = Math.max(0, room - part.text.length);
    return text === "" ? [] : { ...part, text };
  });
}

/** Each paragraph of a text runs its own way; a long text runs as its beginning does. */
export const directionClass = (text: { readonly length: number }): string => (isLong(text) ? "one-direction" : "");
