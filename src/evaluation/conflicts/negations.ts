import type { PreparedText } from "../../scoring/text/prepare-text.ts";
import { tokenizeNormalized } from "../../scoring/text/tokenize.ts";
import { antonyms } from "./antonyms.ts";

const negations = new Set("not no non never cannot none nothing nobody neither nor without unable nope".split(" "));
/** Phrases with a negation that deny nothing. */
const emptyNegations =
  /\b(?:no problem|no worries|not only|no doubt|why not|not at all|no later than|no matter|if not|whether or not|(?:don't|do not|never) (?:worry|hesitate|forget)|not to worry|no\. ?(?=\d))\b/gu;
/** Phrases that deny without a negation. */
const hiddenNegations = /\b(?:free of (?!charge|cost)|(?:has|have|had|is|are) yet to )/u;
/** Words that do not identify what is denied. */
const stopWords = new Set(
  `a an the to on in at of for by from with it its you your we our us i my me they them this that any is are was were be been do does did
  have has had will would can could may must should so too yet very and or but`.split(/\s+/u),
);
const clauseEnds = /[.!?;:,](?= |$)| (?:but|so|and|because) /u;
/** Words after a negation that it may deny. */
const scope = 4;

/** A text with its words and phrases. */
interface Statement {
  readonly text: PreparedText;
  readonly words: ReadonlySet<string>;
}

/**
 * The text that denies something the other text, or its opposite, mentions. Additions ("It ships today. Do not open it yet.")
 * contradict nothing. Unclear when each text denies something: "without a charger", "the charger is not included".
 */
export function denyingSide(reply: Statement, reference: Statement): "reply" | "reference" | "neither" | "unclear" {
  const [ours, theirs] = [denialsIn(reply.text, reference.text), denialsIn(reference.text, reply.text)];
  const denied = ours.length === 0 ? 0 : ours.filter(isAbout(reference.words)).length;
  const expected = theirs.length === 0 ? 0 : theirs.filter(isAbout(reply.words)).length;
  if (denied + expected === 0) return "neither";
  if (isEven(denied + expected) || isEven(ours.length + theirs.length)) return "unclear";
  return denied > expected ? "reply" : "reference";
}

const isEven = (count: number): boolean => count % 2 === 0;

/** The words after each negation of a text; none when its other clauses say everything the other text says. */
function denialsIn({ counts, normalized }: PreparedText, other: PreparedText): (readonly string[])[] {
  if (!counts.keys().some(isNegation) && !hiddenNegations.test(normalized)) return [];
  const plain = normalized.replace(yesNoAnswers, " ").replace(emptyNegations, " ").replace(hiddenNegations, "not ");
  const clauses = plain.split(clauseEnds).map(tokenizeNormalized);
  const affirmed = new Set(clauses.filter((clause) => !clause.some(isNegation)).flatMap(stemsOf));
  if (other.counts.keys().every((word) => !isContentWord(word) || affirmed.has(stemOf(word)))) return [];
  const tokens = clauses.flat();
  return tokens.flatMap((token, place) => (isNegation(token) ? [tokens.slice(place + 1, place + 1 + scope)] : []));
}

const isContentWord = (word: string): boolean => !stopWords.has(word) && !isNegation(word);

function isAbout(words: ReadonlySet<string>): (denied: readonly string[]) => boolean {
  const spoken = new Set<string>();
  for (const word of words) {
    spoken.add(stemOf(word));
    for (const opposite of antonyms.get(word) ?? []) for (const part of opposite.split("-")) spoken.add(stemOf(part));
  }
  return (denied) => {
    const content = denied.filter(isContentWord);
    return content.length === 0 || content.some((word) => spoken.has(stemOf(word)));
  };
}

const stemsOf = (words: readonly string[]): string[] => words.map(stemOf);

const endings = ["ing", "ed", "es", "s"];

/** A minimal stemmer: "ships", "shipped" and "shipping" are one word. */
function stemOf(word: string): string {
  const ending = endings.find((letters) => word.endsWith(letters)) ?? "";
  const length = word.length - ending.length;
  return word.slice(0, length > 1 && word[length - 1] === word[length - 2] ? length - 1 : length);
}

function isNegation(word: string): boolean {
  return negations.has(word) || word.endsWith("n't");
}

/** Yes or no as the answer at the start of a sentence: "Yes, you can", but neither "No refunds" nor "No. 5". */
export const yesNoAnswers =
  /(?<=(?:^|[.!?:] )[*"']{0,3})(yes|yeah|yep|no(?!\. ?\d)|nope)(?=[*"']{0,3}(?:[,.;:!?]|$| [-—]| (?:i|you|it|we|they|he|she|that|this|there)\b))/gu;
