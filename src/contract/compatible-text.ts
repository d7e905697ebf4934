/**
 * As many marks in a row as UAX #15 allows in a stream, and one more behind them. No language writes so many. The two half-width
 * sound marks are letters until NFKC makes marks of them.
 */
const manyMarks = /[\p{M}\uFF9E\uFF9F]{30}(?=[\p{M}\uFF9E\uFF9F])/gu;
/** The grapheme joiner: cannot be seen, and keeps the marks before it apart from those behind it. */
const joiner = "\u034F";

/** Of one letter (U+FDFA) NFKC makes 18. A long text that grows like that is no text, and is left as it is: it would take all memory. */
const longestGrown = 200_000;

/**
 * The text with one form for characters that mean the same (NFKC), in time that grows with its length: putting a long row of marks
 * in order, as that form asks for, would take hours for a megabyte of them.
 */
export function compatibleText(text: string): string {
  const safe = text.replace(manyMarks, `$&${joiner}`);
  const unified = safe.normalize("NFKC");
  return unified.length > longestGrown && unified.length > 2 * text.length ? safe.normalize("NFC") : unified;
}
