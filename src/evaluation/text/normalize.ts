// Anything outside printable ASCII may change under NFKC or be white space of another script.
const plain = /^[ -~]*$/;

/** The form every text score compares: compatibility forms unified (NFKC), lower case, runs of white space one space, none at the ends. */
export function normalize(text: string): string {
  const unified = plain.test(text) ? text : text.normalize("NFKC");
  return unified.toLowerCase().replace(/\s+/gu, " ").trim();
}
