// Anything outside printable ASCII may change under NFKC or be white space of another script.
const plain = /^[ -~]*$/;

/**
 * The form every text score compares: compatibility forms unified (NFKC), curly quotes straight, lower case, runs of white space
 * one space, none at the ends.
 */
export function normalize(text: string): string {
  if (!plain.test(text)) return unify(text).toLowerCase().replace(/\s+/gu, " ").trim();
  const lower = text.toLowerCase();
  return (lower.includes("  ") ? lower.replace(/ +/g, " ") : lower).trim();
}

/** One form for characters that mean the same. Models and word processors curl the apostrophe of "don’t"; keyboards do not. */
export function unify(text: string): string {
  return compatible(text).replace(/[‘’ʼ]/gu, "'").replace(/[“”]/gu, '"');
}

/** Of one letter (U+FDFA) NFKC makes 18. A long text that grows like that is no text, and is left as it is: it would take all memory. */
const longestGrown = 200_000;

function compatible(text: string): string {
  const unified = text.normalize("NFKC");
  return unified.length > longestGrown && unified.length > 2 * text.length ? text.normalize("NFC") : unified;
}
