import { compatibleText } from "../../contract/compatible-text.ts";

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
  return compatibleText(text).replace(/[‘’ʼ]/gu, "'").replace(/[“”]/gu, '"');
}
