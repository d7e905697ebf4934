/**
 * Texts of others as one block that nothing inside them can close: they stand as JSON, so that a line break or a quote in them
 * stays an escape, between marks that occur in none of them.
 */
export function untrustedBlock(texts: Readonly<Record<string, unknown>>): string {
  const body = JSON.stringify(texts, null, 1).replaceAll("<", "\\u003c");
  let mark = "DATA";
  for (let number = 1; body.includes(mark); number++) mark = `DATA-${number}`;
  return `<<<${mark}\n${body}\n${mark}>>>`;
}
