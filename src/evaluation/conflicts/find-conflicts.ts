import type { Conflict } from "../../contract/schemas/interaction-result.ts";
import { maxReferences } from "../conversation/conversation.ts";
import { shortList } from "../../base/format.ts";
import { findNumberTexts } from "../../scoring/text/find-numbers.ts";
import { overlapF1, sharedWords, type PreparedText } from "../../scoring/text/prepare-text.ts";
import { currenciesOf, mismatchedUnits } from "./amounts.ts";
import { antonyms, denyingWords, wordsAndPhrases } from "./antonyms.ts";
import { denyingSide, yesNoAnswers } from "./negations.ts";

const weekdays = "monday tuesday wednesday thursday friday saturday sunday".split(" ");
const months = "january february march april june july august september october november december".split(" ");
const shortForms: ReadonlyMap<string, string> = new Map([
  ...[...weekdays, ...months].map((name) => [name.slice(0, 3), name] as const),
  ["sept", "september"],
]);
/** The month, not the verb. */
const mayWithDay =
  /\b(?:\d{1,4}(?:st|nd|rd|th)?(?: of)? may(?! (?:be|have|not|take)\b)|may \d{1,4}(?:st|nd|rd|th)?)\b/u;
const dayWords = new Set([...weekdays, ...months, "today", "tomorrow", "yesterday", "tonight"]);
/** After a number: 9 am, 9:30 p.m. */
const halfOfDay = /(?<=\d ?)([ap])\.?m\b/gu;
/** Below this similarity, a missing "not" is a different statement rather than a contradiction. */
const minimumSimilarity = 0.3;
/** "No." and "No, sorry." contain nothing else that "No, you cannot." could contradict. */
const maximumBriefWords = 2;
/** Longer texts have so many numbers and negations that single differences mean little. */
const maximumLength = 20_000;

/**
 * Contradictions between a reply and its most similar reference: different numbers, money, units or dates, an extra or missing
 * negation, yes against no, a word against its opposite. Similarity scores cannot detect these ("approved" and "rejected" are
 * used alike). Words are English; numbers work in any language. The rules err on both sides, so this is a warning, not a score.
 */
export function findConflicts(reply: PreparedText, references: readonly PreparedText[]): Conflict[] {
  if (reply.raw.length > maximumLength) return [];
  const reference = mostSimilar(
    reply,
    references.slice(0, maxReferences).filter(({ raw }) => raw.length <= maximumLength),
  );
  if (!reference || reply.normalized === reference.normalized) return [];
  return [...numberConflicts(reply, reference), ...dateConflicts(reply, reference), ...wordConflicts(reply, reference)];
}

function mostSimilar(reply: PreparedText, references: readonly PreparedText[]): PreparedText | null {
  if (references.length === 1) return references[0] ?? null;
  let best: { text: PreparedText; value: number } | null = null;
  for (const text of references) {
    const value = similarityOf(reply, text);
    if (!best || value > best.value) best = { text, value };
  }
  return best?.text ?? null;
}

/** `opposed` counts words whose opposites are in the other text: they are about the same subject. */
function similarityOf(reply: PreparedText, reference: PreparedText, opposed = 0): number {
  const shared = sharedWords(reply.counts, reference.counts) + opposed;
  return overlapF1(shared, reply.tokens.length, reference.tokens.length);
}

function numberConflicts(reply: PreparedText, reference: PreparedText): Conflict[] {
  const numbersIn = ({ raw }: PreparedText) => findNumberTexts(raw);
  return [
    ...replaced("number", numbersIn(reply), numbersIn(reference)),
    ...replaced("number", ...currenciesOf(reply, reference)),
    ...replaced("number", ...mismatchedUnits(reply.normalized, reference.normalized)),
  ];
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

/** A conflict when each side has items that the other lacks. Leaving something out is no contradiction. */
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
  const isBrief = Math.min(reply.tokens.length, reference.tokens.length) <= maximumBriefWords;
  if (said && said === expected && isBrief) return [];
  const [ours, theirs] = [wordsAndPhrases(reply), wordsAndPhrases(reference)];
  const opposites = findOpposites(ours, theirs);
  if (similarityOf(reply, reference, opposites.length) < minimumSimilarity) return [];
  const denier = denyingSide({ text: reply, words: ours }, { text: reference, words: theirs });
  if (denier === "unclear") return [];
  if (denier === "neither") return opposites.map(({ word, other }) => conflict("antonym", shown(word), shown(other)));
  // "not open" and "closed" agree: a negation and an opposite cancel out. So may a negation and a denying word like "sold out".
  if (opposites.length > 0 || (denier === "reply" ? hasDenyingWord(theirs, ours) : hasDenyingWord(ours, theirs)))
    return [];
  return [
    denier === "reply" ? conflict("negation", "a negation", "none") : conflict("negation", "no negation", "a negation"),
  ];
}

/** A phrase as it is written, without its number. */
const shown = (phrase: string): string => phrase.replace("-#", "").replaceAll("-", " ");

/** A word whose opposite is in the same text ("opens at 9 and closes at 5") does not count. */
function findOpposites(said: ReadonlySet<string>, expected: ReadonlySet<string>): { word: string; other: string }[] {
  const found: { word: string; other: string }[] = [];
  for (const word of said) {
    if (expected.has(word) || hasOpposite(said, word)) continue;
    const other = [...(antonyms.get(word) ?? [])].find((opposite) => expected.has(opposite));
    if (other !== undefined && !hasOpposite(expected, other)) found.push({ word, other });
  }
  return found;
}

function hasOpposite(words: ReadonlySet<string>, word: string): boolean {
  return [...(antonyms.get(word) ?? [])].some((opposite) => words.has(opposite));
}

/** True when a text has a denying word that the other lacks. */
function hasDenyingWord(words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...words].some((word) => denyingWords.has(word) && !others.has(word));
}

function answersIn({ normalized }: PreparedText): ("yes" | "no")[] {
  return Array.from(normalized.matchAll(yesNoAnswers), ([word]) => (word.startsWith("y") ? "yes" : "no"));
}

function conflict(kind: Conflict["kind"], reply: string, reference: string): Conflict {
  return { kind, reply, reference, message: `reply says ${reply}, reference says ${reference}` };
}
