import { compatibleText } from "../../base/text.ts";

const fillers = new Set(
  `a about an and any are as at be but by can could did do does for from had has have how i if in is it its me my of on or
  our please should so that the their them then there these they this to was we were what when where which who why will
  with would you your`.split(/\s+/),
);
/** Scripts that write no spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** The words of a text, in any script. */
export function toTerms(text: string): string[] {
  return toWords(text).flatMap((word) => (unspaced.test(word) ? [...toPairs(word), ...lastOf(word)] : [word]));
}

const toWords = (text: string) => compatibleText(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** One form for all spellings of a word: no case, no accents. */
export function toTerm(word: string): string {
  const plain = word.toLowerCase().normalize("NFKD").replaceAll(/\p{M}/gu, "");
  return unspaced.test(plain) ? spell(plain) : plain;
}

const spelledSign = "%";
const digits = 5;

/**
 * Characters of such a script by their numbers: the index looks through all the first letters it knows for every word, and there are
 * thousands of these.
 */
function spell(text: string): string {
  const numbers = Array.from(text, (character) => character.codePointAt(0)?.toString(16).padStart(digits, "0"));
  return `${spelledSign}${numbers.join("")}`;
}

/** Whether words that only begin like a term match it too. One character of an unspaced script stands for what begins with it. */
export function matchesBeginning(term: string): boolean {
  return term.startsWith(spelledSign) ? term.length === spelledSign.length + digits : term.length > 3;
}

/** The share of a term's letters that may be others. */
export function allowedTypos(term: string): number | false {
  return !term.startsWith(spelledSign) && term.length > 5 ? 0.2 : false;
}

/** The words of a question that say what it is about; all of them when none does. */
export function toQueryTerms(text: string): string[] {
  const terms = toWords(text).flatMap((word) => (unspaced.test(word) ? toPairs(word) : [word]));
  const telling = terms.filter((term) => !fillers.has(term.toLowerCase()));
  return telling.length > 0 ? telling : terms;
}

/** Where words end depends on the sentence, so pairs of characters stand for them. */
function toPairs(text: string): string[] {
  const characters = [...text];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** The last one stands for itself too: then each character begins a term, and is found by itself. */
const lastOf = (text: string) => [...text].slice(1).slice(-1);
