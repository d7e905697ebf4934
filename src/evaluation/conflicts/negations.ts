import type { PreparedText } from "../text/prepare-text.ts";
import { tokenizeNormalized } from "../text/tokenize.ts";
import { answers } from "./answers.ts";
import { antonyms } from "./antonyms.ts";

const negations = new Set("not no non never cannot none nothing nobody neither nor without unable nope".split(" "));
/** Phrases with one negation that deny nothing. */
const emptyNegations =
  /\b(?:no problem|no worries|not only|no doubt|why not|not at all|no later than|no matter|if not|whether or not|(?:don't|do not|never) (?:worry|hesitate|forget)|not to worry|no\. ?(?=\d))\b/gu;
/** Phrases that deny what follows without a word of denial. */
const hiddenNegations = /\b(?:free of (?!charge|cost)|(?:has|have|had|is|are) yet to )/u;
/** Words that say nothing of what is denied. */
const smallWords = new Set(
  `a an the to on in at of for by from with it its you your we our us i my me they them this that any is are was were be been do does did
  have has had will would can could may must should so too yet very and or but`.split(/\s+/u),
);
const clauseEnds = /[.!?;:,](?= |$)| (?:but|so|and|because) /u;
/** How far behind a negation the word stands that it denies. */
const reach = 4;

/** A text, and its words with the phrases among them. */
interface Statement {
  readonly text: PreparedText;
  readonly words: ReadonlySet<string>;
}

/**
 * Which of two texts denies something that the other one speaks of, or whose opposite that names. What one adds, as in "It ships today. Do
 * not open it yet.", contradicts nothing. Unclear where each denies something, as "without a charger" and "the charger is not included".
 */
export function whoDenies(reply: Statement, reference: Statement): "reply" | "reference" | "neither" | "unclear" {
  const [ours, theirs] = [denialsIn(reply.text, reference.text), denialsIn(reference.text, reply.text)];
  const told = ours.length === 0 ? 0 : ours.filter(isAbout(reference.words)).length;
  const expected = theirs.length === 0 ? 0 : theirs.filter(isAbout(reply.words)).length;
  if (told + expected === 0) return "neither";
  if (isEven(told + expected) || isEven(ours.length + theirs.length)) return "unclear";
  return told > expected ? "reply" : "reference";
}

const isEven = (count: number): boolean => count % 2 === 0;

/** The words behind each negation of a text; none where the other parts of it say all that the other text says. */
function denialsIn({ counts, normalized }: PreparedText, other: PreparedText): (readonly string[])[] {
  if (!counts.keys().some(isNegation) && !hiddenNegations.test(normalized)) return [];
  const plain = normalized.replace(answers, " ").replace(emptyNegations, " ").replace(hiddenNegations, "not ");
  const clauses = plain.split(clauseEnds).map(tokenizeNormalized);
  const affirmed = new Set(clauses.filter((clause) => !clause.some(isNegation)).flatMap(stemsOf));
  if (other.counts.keys().every((word) => !isTelling(word) || affirmed.has(stemOf(word)))) return [];
  const tokens = clauses.flat();
  return tokens.flatMap((token, place) => (isNegation(token) ? [tokens.slice(place + 1, place + 1 + reach)] : []));
}

const isTelling = (word: string): boolean => !smallWords.has(word) && !isNegation(word);

function isAbout(words: ReadonlySet<string>): (denied: readonly string[]) => boolean {
  const spoken = new Set<string>();
  for (const word of words) {
    spoken.add(stemOf(word));
    for (const opposite of antonyms.get(word) ?? []) for (const part of opposite.split("-")) spoken.add(stemOf(part));
  }
  return (denied) => {
    const telling = denied.filter(isTelling);
    return telling.length === 0 || telling.some((word) => spoken.has(stemOf(word)));
  };
}

const stemsOf = (words: readonly string[]): string[] => words.map(stemOf);

const endings = ["ing", "ed", "es", "s"];

/** Enough to see that "ships", "shipped" and "shipping" are one word. */
function stemOf(word: string): string {
  const ending = endings.find((letters) => word.endsWith(letters)) ?? "";
  const length = word.length - ending.length;
  return word.slice(0, length > 1 && word[length - 1] === word[length - 2] ? length - 1 : length);
}

function isNegation(word: string): boolean {
  return negations.has(word) || word.endsWith("n't");
}
