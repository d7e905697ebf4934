import { compatibleText } from "../../contract/compatible-text.ts";

const fillers = new Set(
  `a about an and any are as at be but by can could did do does for from had has have how i if in is it its me my of on or
  our please should so that the their them then there these they this to was we were what when where which who why will
  with would you your`.split(/\s+/),
);
/** Scripts that write no spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** The words of a text, in any script. */
export function toTerms(text: string): string[] {
  const words = compatibleText(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.flatMap((word) => (unspaced.test(word) ? toPairs(word) : [word]));
}

/** One form for all spellings of a word: no case, no accents. */
export function toTerm(word: string): string {
  return word.toLowerCase().normalize("NFKD").replaceAll(/\p{M}/gu, "");
}

/** The words of a question that say what it is about; all of them when none does. */
export function toQueryTerms(text: string): string[] {
  const terms = toTerms(text);
  const telling = terms.filter((term) => !fillers.has(term.toLowerCase()));
  return telling.length > 0 ? telling : terms;
}

/** Where words end depends on the sentence, so pairs of characters stand for them. */
function toPairs(text: string): string[] {
  const characters = [...text];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
