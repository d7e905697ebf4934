/** Characters XML 1.0 and terminals cannot take: control characters but tab and line breaks, halves of pairs, non-characters. */
export function withoutControls(text: string): string {
  return text.toWellFormed().replace(/[^\t\n\r\P{Cc}]|[\uFFFE\uFFFF]/gu, "");
}

/** At most so many characters, whole ones, with a mark where something is left out. */
export function shorten(text: string, length: number): string {
  const segments = [...text];
  return segments.length <= length ? text : `${segments.slice(0, length - 1).join("")}…`;
}
