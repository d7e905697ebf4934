import { normalize } from "./normalize.ts";

const plain = /^[ -~]*$/;
/** The word rules of Unicode (UAX 29) for printable ASCII: `don't`, `3.14`, `1,000`, `u.s.a` and `snake_case` are one word each. */
const plainWord = /\w+(?:(?:(?<=[a-z])[.':](?=[a-z])|(?<=\d)[.,;'](?=\d))\w+)*/g;
const letterOrDigit = /[\p{L}\p{N}\p{M}]/u;
const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;

let segmenter: Intl.Segmenter | undefined;

/**
 * The words and emoji of a text, normalized, without punctuation; it splits languages that write no spaces too.
 * An emoji with its skin tone or joined parts is one token. A text of nothing but signs ("?!", "→") gives its characters,
 * so that two different ones are not taken for equal.
 */
export function tokenize(text: string): string[] {
  return tokenizeNormalized(normalize(text));
}

/** `tokenize` for a text that went through `normalize` already. */
export function tokenizeNormalized(text: string): string[] {
  const tokens = (plain.test(text) ? plainTokens(text) : null) ?? segmentTokens(text);
  return tokens.length > 0 ? tokens : Array.from(text.replaceAll(" ", ""));
}

/** Null where a word has more parts, as in "a.a.a", than a pattern can remember: that takes megabytes. */
function plainTokens(text: string): string[] | null {
  try {
    // A word that begins with neither letter nor digit may be made of underscores alone.
    return (text.match(plainWord) ?? []).filter((word) => !word.startsWith("_") || letterOrDigit.test(word));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The definition itself, by Intl.Segmenter. `plainTokens` is a quicker way to the same tokens where it applies. */
export function segmentTokens(text: string): string[] {
  segmenter ??= new Intl.Segmenter("und", { granularity: "word" });
  const tokens: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (isWordLike ? letterOrDigit.test(segment) : emoji.test(segment)) tokens.push(segment);
  }
  return tokens;
}
