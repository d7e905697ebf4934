import { compatibleText } from "../../base/text.ts";

// Anything outside printable ASCII may change under NFKC or be white space of another script.
const plain = /^[ -~]*$/;

/**
 * The form every text score compares: compatibility forms unified (NFKC), quotes straight, one hyphen, nothing invisible, lower case,
 * runs of white space one space, none at the ends.
 */
export function normalize(text: string): string {
  if (!plain.test(text)) {
    // The small form of İ is an i with a second dot that nobody sees.
    return unify(text).toLowerCase().replaceAll("i\u{307}", "i").replace(/\s+/gu, " ").trim();
  }
  const lower = text.toLowerCase();
  return (lower.includes("  ") ? lower.replace(/ +/g, " ") : lower).trim();
}

/**
 * What nobody sees: soft hyphens, marks of the writing direction, joiners of words, selectors of a sign's look (❤ and ❤️ are the same).
 * The joiners of letters and emoji (U+200C, U+200D) are none of these: they make another word or another sign.
 */
const invisible =
  /[\u{AD}\u{61C}\u{180E}\u{200B}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2060}-\u{206F}\u{FEFF}]|\u{34F}|\p{Variation_Selector}/gu;

/**
 * One form for characters that mean the same. Models and word processors curl the apostrophe of "don’t" and have hyphens that do not
 * break and signs for minus and "from … to"; keyboards do not.
 */
export function unify(text: string): string {
  return compatibleText(parted(text.replace(invisible, "")))
    .replace(/[‘’‚‛ʼ]/gu, "'")
    .replace(/[“”„‟]/gu, '"')
    .replace(/[\u{2010}-\u{2013}\u{2212}]/gu, "-")
    .replaceAll("\u{2044}", "/")
    .replace(thaiAm, "$1\u{E33}")
    .replace(laoAm, "$1\u{EB3}");
}

/**
 * The vowel "am" in the two signs NFKC makes of it, with the mark of tone between them that some keyboards put there. Words are
 * found in a dictionary, which has one sign for it: of two it would make ทํา, งา and นที่ where ทำงาน and ที่ are written.
 */
const thaiAm = /\u{E4D}([\u{E48}-\u{E4B}]?)\u{E32}/gu;
const laoAm = /\u{ECD}([\u{EC8}-\u{ECB}]?)\u{EB2}/gu;

/** Between the digits of a number and a raised digit or a fraction sign, which are none of its further digits: 5½ is not 51/2, nor 10² 102. */
const afterNumber = /(?<=\p{Nd})(?=\p{No})/gu;

/** The text with a space between numbers and raised digits or fractions, for NFKC would make one number of both. */
export function parted(text: string): string {
  return text.replace(afterNumber, " ");
}
