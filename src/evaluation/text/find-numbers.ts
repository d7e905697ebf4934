const pattern =
  /(?<![\p{L}\p{N}_])[-−+]?(?:\d{1,3}(?:[, \u00a0\u202f]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?/gu;
/** Anything outside printable ASCII may turn into a digit under NFKC. */
const wordsOnly = /^[\t\n\r -/:-~]*$/;

/** The numbers a text holds, in order: `$1,234.50` is 1234.5, `3.5%` is 3.5. Digits inside a word (`A4`, `v2`) are no numbers. */
export function findNumbers(text: string): number[] {
  if (wordsOnly.test(text)) return [];
  return [...text.normalize("NFKC").matchAll(pattern)].flatMap(([found]) => {
    const value = Number(found.replace(/[, \u00a0\u202f]/gu, "").replace("−", "-"));
    return Number.isFinite(value) ? [value] : [];
  });
}
