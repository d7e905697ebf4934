import type { Conflict } from "../../contract/schemas/interaction-result.ts";
import { mostReferences } from "../reference-replies.ts";
import { overlapF1 } from "../scorers/overlap.ts";
import { shortList } from "../scorers/short-list.ts";
import { sharedWords } from "../text/count-words.ts";
import { findNumberTexts } from "../text/find-numbers.ts";
import type { PreparedText } from "../text/prepare-text.ts";
import { answers } from "./answers.ts";
import { antonyms, denying, wordsOf } from "./antonyms.ts";
import { currenciesOf } from "./currencies.ts";
import { whoDenies } from "./negations.ts";

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
/** Behind a number: 9 am, 9:30 p.m. */
const halfOfDay = /(?<=\d ?)([ap])\.?m\b/gu;
/** How alike two texts must be for a missing "not" to be a contradiction rather than another sentence. */
const likeness = 0.3;
/** In "No." and "No, sorry." nothing stands beside the answer that "No, you cannot." could contradict. */
const briefWords = 2;
/** Longer texts hold so many numbers and negations that a difference in one says nothing. */
const maximumLength = 20_000;

/**
 * Points in which a reply contradicts the reference it is most like: other numbers, money or units, other days, a negation more or less, yes
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
    ...replaced("number", ...currenciesOf(reply, reference)),
    ...replaced("number", ...unlikeUnits(reply.normalized, reference.normalized)),
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
  const [ours, theirs] = [wordsOf(reply), wordsOf(reference)];
  const opposites = findOpposites(ours, theirs);
  if (likenessOf(reply, reference, opposites.length) < likeness) return [];
  const denier = whoDenies({ text: reply, words: ours }, { text: reference, words: theirs });
  if (denier === "unclear") return [];
  if (denier === "neither") return opposites.map(({ word, other }) => conflict("antonym", shown(word), shown(other)));
  // "not open" and "closed" agree: a negation and an opposite take each other away. So may one and a word that denies, as "sold out" does.
  if (opposites.length > 0 || (denier === "reply" ? denies(theirs, ours) : denies(ours, theirs))) return [];
  return [
    denier === "reply" ? conflict("negation", "a negation", "none") : conflict("negation", "no negation", "a negation"),
  ];
}

/** A phrase as it is written, without the number behind it. */
const shown = (phrase: string): string => phrase.replace("-#", "").replaceAll("-", " ");

/** Who has a word and its opposite, as in "opens at 9 and closes at 5", speaks of both. */
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

/** Whether one text has a word that denies, and the other has not. */
function denies(words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...words].some((word) => denying.has(word) && !others.has(word));
}

function answersIn({ normalized }: PreparedText): ("yes" | "no")[] {
  return Array.from(normalized.matchAll(answers), ([word]) => (word.startsWith("y") ? "yes" : "no"));
}

function conflict(kind: Conflict["kind"], reply: string, reference: string): Conflict {
  return { kind, reply, reference, message: `the reply has ${reply} where the reference has ${reference}` };
}

/** Each line is one unit, in the forms it is written. A pound is a weight or money. */
const lines = `
seconds second secs sec
minutes minute mins min
hours hour hrs hr h
days day
weeks week
months month
years year
% percent
km kilometers kilometres kilometer kilometre
miles mile
kg kilograms kilogram kilos kilo
pounds pound lbs lb
dollars dollar euros euro pounds pound usd eur gbp
`;

/** form → the first forms of the units that it may be. */
const unitsOf = new Map<string, readonly string[]>();
for (const line of lines.trim().split("\n")) {
  const forms = line.split(" ");
  for (const form of forms) unitsOf.set(form, [...(unitsOf.get(form) ?? []), forms[0] ?? ""]);
}
const money = "dollars";
const anyForm = [...unitsOf.keys()].join("|");
const measured = new RegExp(
  String.raw`(?<![\p{L}\d.,])(?:(?<sign>[$€£] ?)(?<price>\d+(?:\.\d+)?)(?![\d%])|(?<number>\d+(?:\.\d+)?)[ -]?(?:business |working |calendar )?(?<form>${anyForm})(?![\p{L}\d]))`,
  "gu",
);

interface Measured {
  readonly text: string;
  readonly number: string;
  readonly units: readonly string[];
}

function measuredIn(text: string): Measured[] {
  if (!/\d/.test(text)) return [];
  return Array.from(text.matchAll(measured), ({ 0: found, groups = {} }) => {
    const { price, number = "", form = "" } = groups;
    return { text: found, number: price ?? number, units: price === undefined ? (unitsOf.get(form) ?? []) : [money] };
  });
}

/** The same number of something else, as in 3 days where the other text has 3 weeks. */
function unlikeUnits(one: string, other: string): readonly [string[], string[]] {
  const [ours, theirs] = [measuredIn(one), measuredIn(other)];
  const isUnlike = ({ number, units }: Measured, others: readonly Measured[]): boolean => {
    const beside = others.filter((entry) => entry.number === number);
    return beside.length > 0 && beside.every((entry) => !entry.units.some((unit) => units.includes(unit)));
  };
  return [
    ours.filter((entry) => isUnlike(entry, theirs)).map(({ text }) => text),
    theirs.filter((entry) => isUnlike(entry, ours)).map(({ text }) => text),
  ];
}
