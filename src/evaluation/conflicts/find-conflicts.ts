import type { Conflict } from "../../contract/interaction-result.ts";
import { multisetOverlap, overlapF1 } from "../scorers/overlap.ts";
import { shortList } from "../scorers/short-list.ts";
import { findNumbers } from "../text/find-numbers.ts";
import type { PreparedText } from "../text/prepare-text.ts";
import { antonyms } from "./antonyms.ts";

const weekdays = "monday tuesday wednesday thursday friday saturday sunday".split(" ");
const months = "january february march april june july august september october november december".split(" ");
const shortDays: Readonly<Record<string, string>> = {
  mon: "monday",
  tue: "tuesday",
  wed: "wednesday",
  thu: "thursday",
  fri: "friday",
  sat: "saturday",
  sun: "sunday",
};
const dayWords = new Set([...weekdays, ...months, "today", "tomorrow", "yesterday", "tonight"]);
const negations = new Set("not no never cannot none nothing nobody neither nor without unable".split(" "));
/** Phrases with a negation that deny nothing. */
const emptyNegations =
  /\b(?:no problem|no worries|not only|no doubt|why not|not at all|no later than|no matter|if not|whether or not)\b/gu;
/** How alike two texts must be for a missing "not" to be a contradiction rather than another sentence. */
const likeness = 0.3;
/** Longer texts hold so many numbers and negations that a difference in one says nothing. */
const maximumLength = 20_000;

/**
 * Points in which a reply contradicts the reference it is most like: other numbers, other days, a negation more or less, a word
 * against its opposite. Similarity scores cannot see these ("approved" and "rejected" are used alike), so they are shown beside
 * them. English words; numbers in any language. Simple rules that err on both sides: a warning, never a score.
 */
export function findConflicts(reply: PreparedText, references: readonly PreparedText[]): Conflict[] {
  if (reply.raw.length > maximumLength) return [];
  const reference = mostAlike(
    reply,
    references.filter(({ raw }) => raw.length <= maximumLength),
  );
  if (!reference || reply.normalized === reference.normalized) return [];
  return [...numberConflicts(reply, reference), ...dateConflicts(reply, reference), ...wordConflicts(reply, reference)];
}

function mostAlike(reply: PreparedText, references: readonly PreparedText[]): PreparedText | null {
  let best: { text: PreparedText; value: number } | null = null;
  for (const text of references) {
    const value = likenessOf(reply, text);
    if (!best || value > best.value) best = { text, value };
  }
  return best?.text ?? null;
}

function likenessOf(reply: PreparedText, reference: PreparedText): number {
  const { shared } = multisetOverlap(reply.tokens, reference.tokens);
  return overlapF1(shared, reply.tokens.length, reference.tokens.length);
}

function numberConflicts(reply: PreparedText, reference: PreparedText): Conflict[] {
  return replaced("number", findNumbers(reply.raw).map(String), findNumbers(reference.raw).map(String));
}

function dateConflicts(reply: PreparedText, reference: PreparedText): Conflict[] {
  const days = ({ tokens }: PreparedText) =>
    tokens.map((word) => shortDays[word] ?? word).filter((word) => dayWords.has(word));
  return replaced("date", days(reply), days(reference));
}

/** One side has what the other lacks, and the other way round: leaving something out is no contradiction. */
function replaced(kind: "number" | "date", reply: readonly string[], reference: readonly string[]): Conflict[] {
  const added = reply.filter((item) => !reference.includes(item));
  const missing = reference.filter((item) => !reply.includes(item));
  if (added.length === 0 || missing.length === 0) return [];
  return [conflict(kind, shortList(added), shortList(missing))];
}

function wordConflicts(reply: PreparedText, reference: PreparedText): Conflict[] {
  if (likenessOf(reply, reference) < likeness) return [];
  const opposites = findOpposites(reply.tokens, reference.tokens);
  const negated = countNegations(reply) % 2 !== countNegations(reference) % 2;
  // "not open" and "closed" agree: a negation and an opposite take each other away.
  if (negated && opposites.length > 0) return [];
  if (negated) {
    const more = countNegations(reply) > countNegations(reference);
    return [conflict("negation", more ? "a negation" : "no negation", more ? "none" : "a negation")];
  }
  return opposites.map(({ word, other }) => conflict("antonym", word, other));
}

function findOpposites(reply: readonly string[], reference: readonly string[]): { word: string; other: string }[] {
  const said = new Set(reply);
  const expected = new Set(reference);
  return [...said].flatMap((word) => {
    if (expected.has(word)) return [];
    const other = [...(antonyms.get(word) ?? [])].find((opposite) => expected.has(opposite) && !said.has(opposite));
    return other === undefined ? [] : [{ word, other }];
  });
}

function countNegations({ normalized }: PreparedText): number {
  const text = normalized.replaceAll("’", "'").replace(emptyNegations, " ");
  return (text.match(/[\p{L}']+/gu) ?? []).filter((word) => negations.has(word) || word.endsWith("n't")).length;
}

function conflict(kind: Conflict["kind"], reply: string, reference: string): Conflict {
  return { kind, reply, reference, message: `the reply has ${reply} where the reference has ${reference}` };
}
