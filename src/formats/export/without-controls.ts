/** Characters XML 1.0 and terminals cannot take: control characters but tab and line breaks, halves of pairs, non-characters. */
export function withoutControls(text: string): string {
  return text.toWellFormed().replace(/[^\t\n\r\P{Cc}]|[\uFFFE\uFFFF]/gu, "");
}
