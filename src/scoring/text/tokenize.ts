import { normalizeNfkc } from "../../base/text.ts";

/** Characters outside this range may change under NFKC, or be white space of another script. */
const printableAscii = /^[ -~]*$/;

/**
 * The form all text scores compare: NFKC, straight quotes, plain hyphens, no invisible characters, lower case, single spaces,
 * trimmed.
 */
export function normalize(text: string): string {
  if (!printableAscii.test(text)) {
    // Lower-casing İ yields i with an invisible combining dot.
    return unifyCharacters(text).toLowerCase().replaceAll("i\u{307}", "i").replace(/\s+/gu, " ").trim();
  }
  const lower = text.toLowerCase();
  return (lower.includes("  ") ? lower.replace(/ +/g, " ") : lower).trim();
}

/**
 * Soft hyphens, direction marks, word joiners and variation selectors (❤ and ❤️ are equal). U+200C and U+200D are not in the
 * list: joining letters or emoji makes a different word or sign.
 */
const invisible =
  /[\u{AD}\u{61C}\u{180E}\u{200B}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2060}-\u{206F}\u{FEFF}]|\u{34F}|\p{Variation_Selector}/gu;

/**
 * NFKC makes two characters of the vowel "am"; some keyboards put the tone mark between them. The segmenter's dictionary has
 * one character: with two it splits ทำงาน and ที่ wrongly, into ทํา, งา and นที่.
 */
const thaiAm = /\u{E4D}([\u{E48}-\u{E4B}]?)\u{E32}/gu;
const laoAm = /\u{ECD}([\u{EC8}-\u{ECB}]?)\u{EB2}/gu;

/** Replaces typographic variants (curly quotes, special hyphens and minus signs) by the characters a keyboard types. */
export function unifyCharacters(text: string): string {
  return normalizeNfkc(separateFractions(text.replace(invisible, "")))
    .replace(/[‘’‚‛ʼ]/gu, "'")
    .replace(/[“”„‟]/gu, '"')
    .replace(/[\u{2010}-\u{2013}\u{2212}]/gu, "-")
    .replaceAll("\u{2044}", "/")
    .replace(thaiAm, "$1\u{E33}")
    .replace(laoAm, "$1\u{EB3}");
}

const betweenNumberAndFraction = /(?<=\p{Nd})(?=\p{No})/gu;

/** Puts a space before superscripts and fractions that follow a digit: NFKC would turn 5½ into 51/2 and 10² into 102. */
export function separateFractions(text: string): string {
  return text.replace(betweenNumberAndFraction, " ");
}

/** The word rules of Unicode (UAX 29) for printable ASCII: `don't`, `3.14`, `1,000`, `u.s.a` and `snake_case` are one word each. */
const asciiWord = /\w+(?:(?:(?<=[a-z])[.':](?=[a-z])|(?<=\d)[.,;'](?=\d))\w+)*/g;
const letterOrDigit = /[\p{L}\p{N}\p{M}]/u;
const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;

let segmenter: Intl.Segmenter | undefined;

/**
 * The words and emoji of a text, normalized, without punctuation, also for languages written without spaces. An emoji with its
 * skin tone or joined parts is one token. A text of signs only ("?!", "→") yields its characters, so that different ones differ.
 */
export function tokenize(text: string): string[] {
  return tokenizeNormalized(normalize(text));
}

/** `tokenize` for a text that is normalized already. */
export function tokenizeNormalized(text: string): string[] {
  const tokens = (printableAscii.test(text) ? asciiTokens(text) : null) ?? segmentTokens(text);
  return tokens.length > 0 ? tokens : Array.from(text.replaceAll(" ", ""));
}

/** Null when a word has so many parts ("a.a.a…", megabytes long) that the regular expression overflows the stack. */
function asciiTokens(text: string): string[] | null {
  try {
    // A word that starts with an underscore may consist of underscores only.
    return (text.match(asciiWord) ?? []).filter((word) => !word.startsWith("_") || letterOrDigit.test(word));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The definition of a token, by Intl.Segmenter. `asciiTokens` finds the same tokens faster where it applies. */
export function segmentTokens(text: string): string[] {
  segmenter ??= new Intl.Segmenter("und", { granularity: "word" });
  const tokens: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (isWordLike ? letterOrDigit.test(segment) : emoji.test(segment)) tokens.push(segment);
  }
  return tokens;
}
