/** Browsers take noticeably long to lay out longer texts. */
const longest = 50_000;

export const isLong = ({ length }: { readonly length: number }): boolean => length > longest;

/** The first part of a text. Does not split a surrogate pair. */
export const headText = (text: string, length = longest): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");

/** The last part of a text that is still growing. */
export const tailText = (text: string): string =>
  isLong(text) ? text.slice(-longest).replace(/^[\uDC00-\uDFFF]/, "") : text;

/** The first parts of a text, up to the same length. */
export function headParts<Part extends { readonly text: string }>(parts: readonly Part[]): readonly Part[] {
  let room = longest;
  return parts.flatMap((part) => {
    const text = headText(part.text, room);
    room = Math.max(0, room - part.text.length);
    return text === "" ? [] : { ...part, text };
  });
}

/** Paragraphs have their own text direction; in a long text the first one decides for all. */
export const directionClass = (text: { readonly length: number }): string => (isLong(text) ? "one-direction" : "");
