import type { Conflict } from "../../contract/interaction-result.ts";
import { mostReferences } from "../reference-replies.ts";
import { overlapF1 } from "../scorers/overlap.ts";
import { shortList } from "../scorers/short-list.ts";
import { sharedWords, type WordCounts } from "../text/count-words.ts";
import { findNumberTexts } from "../text/find-numbers.ts";
import type { PreparedText } from "../text/prepare-text.ts";
import { antonyms } from "./antonyms.ts";

const weekdays = "monday tuesday wednesday thursday friday saturday sunday".split(" ");
const months = "january february march april june july august september october november december".split(" ");
const shortForms: ReadonlyMap<string, string> = new Map([
  ...[...weekdays, ...months].map((name) => [name.slice(0, 3), name] as const),
  ["sept", "september"],
]);
/** The month, and not what one may do. */
const mayWithDay =
  /\b(?:\d{1,4}(?:st|nd|rd|th)?(?: of)? may(?! (?:be|have|not|take)\b)|may \d{1,4}(?:st|nd|rd|th)?)\b/u;
const dayWords = new Set([...weekdays, ...months, "today", "tomorrow", "yesterday", "tonight"]);
const negations = new Set("not no non never cannot none nothing nobody neither nor without unable nope".split(" "));
/** Phrases with one negation that deny nothing. */
const emptyNegations =
  /\b(?:no problem|no worries|not only|no doubt|why not|not at all|no later than|no matter|if not|whether or not|(?:don't|do not|never) (?:worry|hesitate|forget)|not to worry|no\. ?(?=\d))\b/gu;
/** The word that answers a question, at the beginning of a sentence: "Yes, you can", but neither "No refunds" nor "No. 5". */
const answers =
  /(?<=(?:^|[.!?:] )[*"']{0,3})(yes|yeah|yep|no(?!\. ?\d)|nope)(?=[*"']{0,3}(?:[,.;:!?]|$| [-—]| (?:i|you|it|we|they|he|she|that|this|there)\b))/gu;
/** Behind a number: 9 am, 9:30 p.m. */
const halfOfDay = /(?<=\d ?)([ap])\.?m\b/gu;
/** How alike two texts must be for a missing "not" to be a contradiction rather than another sentence. */
const likeness = 0.3;
/** In "No." and "No, sorry." nothing stands beside the answer that "No, you cannot." could contradict. */
const briefWords = 2;
/** Longer texts hold so many numbers and negations that a difference in one says nothing. */
const maximumLength = 20_000;

/**
 * Points in which a reply contradicts the reference it is most like: other numbers or money, other days, a negation more or less, yes
 * against no, a word against its opposite. Similarity scores cannot see these ("approved" and "rejected" are used alike), so they are shown beside
 * them. English words; numbers in any language. Simple rules that err on both sides: a warning, never a score.
 */
export function findConflicts(reply: PreparedText, references: readonly PreparedText[]): Conflict[] {
  if (reply.raw.length > maximumLength) return [];
  const reference = mostAlike(
    reply,
    references.slice(0, mostReferences).filter(({ raw }) => raw.length <= maximumLength),
  );
  if (!reference || reply.normalized === reference.normalized) return [];
  return [...numberConflicts(reply, reference), ...dateConflicts(reply, reference), ...wordConflicts(reply, reference)];
}

function mostAlike(reply: PreparedText, references: readonly PreparedText[]): PreparedText | null {
  if (references.length === 1) return references[0] ?? null;
  let best: { text: PreparedText; value: number } | null = null;
  for (const text of references) {
    const value = likenessOf(reply, text);
    if (!best || value > best.value) best = { text, value };
  }
  return best?.text ?? null;
}

/** `opposed`: words that stand on one side where their opposites stand on the other, and so speak of the same. */
function likenessOf(reply: PreparedText, reference: PreparedText, opposed = 0): number {
  const shared = sharedWords(reply.counts, reference.counts) + opposed;
  return overlapF1(shared, reply.tokens.length, reference.tokens.length);
}

function numberConflicts(reply: PreparedText, reference: PreparedText): Conflict[] {
  const numbersIn = ({ raw }: PreparedText) => findNumberTexts(raw);
  return [
    ...replaced("number", numbersIn(reply), numbersIn(reference)),
    ...replaced("number", currenciesIn(reply), currenciesIn(reference)),
  ];
}

/** Signs of money are no words: without these, $5 and €5 would be the same to every score. */
function currenciesIn({ normalized }: PreparedText): string[] {
  return normalized.match(/\p{Sc}/gu) ?? [];
}

function dateConflicts(reply: PreparedText, reference: PreparedText): Conflict[] {
  return replaced("date", daysIn(reply), daysIn(reference));
}

function daysIn({ counts, normalized }: PreparedText): string[] {
  const days = Array.from(normalized.matchAll(halfOfDay), ([, half]) => `${half}m`);
  if (counts.has("may") && mayWithDay.test(normalized)) days.push("may");
  for (const word of counts.keys()) {
    const day = shortForms.get(word) ?? word;
    if (dayWords.has(day)) days.push(day);
  }
  return days;
}

/** One side has what the other lacks, and the other way round: leaving something out is no contradiction. */
function replaced(kind: "number" | "date", reply: readonly string[], reference: readonly string[]): Conflict[] {
  const added = reply.filter((item) => !reference.includes(item));
  const missing = reference.filter((item) => !reply.includes(item));
  if (added.length === 0 || missing.length === 0) return [];
  return [conflict(kind, shortList(added), shortList(missing))];
}

function wordConflicts(reply: PreparedText, reference: PreparedText): Conflict[] {
  const [said] = answersIn(reply);
  const [expected] = answersIn(reference);
  if (said && expected && said !== expected) return [conflict("antonym", said, expected)];
  const isBrief = Math.min(reply.tokens.length, reference.tokens.length) <= briefWords;
  if (said && said === expected && isBrief) return [];
  const opposites = findOpposites(reply.counts, reference.counts);
  if (likenessOf(reply, reference, opposites.length) < likeness) return [];
  const replyNegations = countNegations(reply);
  const referenceNegations = countNegations(reference);
  const negated = replyNegations % 2 !== referenceNegations % 2;
  // "not open" and "closed" agree: a negation and an opposite take each other away.
  if (negated && opposites.length > 0) return [];
  if (negated) {
    const more = replyNegations > referenceNegations;
    return [conflict("negation", more ? "a negation" : "no negation", more ? "none" : "a negation")];
  }
  return opposites.map(({ word, other }) => conflict("antonym", word, other));
}

/** Who has a word and its opposite, as in "opens at 9 and closes at 5", speaks of both. */
function findOpposites(said: WordCounts, expected: WordCounts): { word: string; other: string }[] {
  const found: { word: string; other: string }[] = [];
  for (const word of said.keys()) {
    if (expected.has(word) || hasOpposite(said, word)) continue;
    const other = [...(antonyms.get(word) ?? [])].find((opposite) => expected.has(opposite));
    if (other !== undefined && !hasOpposite(expected, other)) found.push({ word, other });
  }
  return found;
}

function hasOpposite(words: WordCounts, word: string): boolean {
  return [...(antonyms.get(word) ?? [])].some((opposite) => words.has(opposite));
}

function answersIn({ normalized }: PreparedText): ("yes" | "no")[] {
  return Array.from(normalized.matchAll(answers), ([word]) => (word.startsWith("y") ? "yes" : "no"));
}

/** In "No, you cannot" the first word says again what the second does: together they are one negation. */
function countNegations(text: PreparedText): number {
  const { counts, normalized } = text;
  let count = 0;
  for (const [word, times] of counts) if (isNegation(word)) count += times;
  if (count === 0) return 0;
  const said = answersIn(text).filter((answer) => answer === "no").length;
  return count - said - (normalized.match(emptyNegations)?.length ?? 0);
}

function isNegation(word: string): boolean {
  return negations.has(word) || word.endsWith("n't");
}

function conflict(kind: Conflict["kind"], reply: string, reference: string): Conflict {
  return { kind, reply, reference, message: `the reply has ${reply} where the reference has ${reference}` };
}
