const end = "DATA>>>";
const escapedEnd = end.replace(">", "\\u003e");

/**
 * Texts of others as one block that nothing inside them can close: they stand as JSON, so that a line break or a quote in them
 * stays an escape, and so does what would read as one of the marks around them.
 */
export function untrustedBlock(texts: Readonly<Record<string, unknown>>): string {
  const body = JSON.stringify(texts, null, 1).replaceAll("<", "\\u003c").replaceAll(end, escapedEnd);
  return `<<<DATA\n${body}\n${end}`;
}
