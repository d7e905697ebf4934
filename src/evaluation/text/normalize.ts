// Anything outside printable ASCII may change under NFKC or be white space of another script.
const plain = /^[ -~]*$/;

/** The form every text score compares: compatibility forms unified (NFKC), lower case, runs of white space one space, none at the ends. */
export function normalize(text: string): string {
  if (!plain.test(text)) return text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim();
  const lower = text.toLowerCase();
  return (lower.includes("  ") ? lower.replace(/ +/g, " ") : lower).trim();
}
