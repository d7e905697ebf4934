/** Words hardly any English text of some length does without, and few other languages have. */
const englishWords = new Set(
  "the is are you your you're to we it it's of and for have has this that with can my our be i'm i'll at please not hello sorry".split(
    " ",
  ),
);

/** Whether a text may be English, by its words. */
export function isEnglish(words: readonly string[]): boolean {
  if (words.some((word) => englishWords.has(word))) return true;
  // "Order 48213." has no such word; a longer text without one is in another language.
  return words.length > 0 && words.length < 4 && words.every((word) => /^[\x20-\x7e]+$/u.test(word));
}
