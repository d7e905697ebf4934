import { isRecord } from "../../base/json.ts";
import { countWords, overlapF1, sharedWords } from "../text/prepare-text.ts";
import { normalize } from "../text/tokenize.ts";
import type { LabelRule, Labels, LabelValue } from "./label-rule.ts";

/**
 * How well a generated label matches the expected one, 0..1, by the type of the expected one.
 * Text: equal as labels. Boolean and null: equal. Number: nearness relative to both magnitudes.
 * Array: F1 of its items, ignoring order. Object: mean over the expected keys; extra keys are ignored.
 * A value of another type scores 0. A rule may add aliases of labels and a tolerance for numbers, also for nested ones.
 */
export function matchValue(generated: LabelValue | undefined, expected: LabelValue, rule: LabelRule = {}): number {
  const { aliases, tolerance } = rule;
  if (generated === undefined) return 0;
  if (typeof expected === "string") {
    return typeof generated === "string" && canonicalKey(generated, aliases) === canonicalKey(expected, aliases)
      ? 1
      : 0;
  }
  if (typeof expected === "number") {
    if (typeof generated !== "number") return 0;
    return tolerance === undefined ? nearness(generated, expected) : isWithin(tolerance, generated, expected) ? 1 : 0;
  }
  if (Array.isArray(expected)) return Array.isArray(generated) ? matchItems(generated, expected, rule) : 0;
  if (isRecord(expected)) return isRecord(generated) ? matchKeys(generated, expected, rule) : 0;
  return generated === expected ? 1 : 0;
}

/** Word separators in labels, except the sign of a number (`-1`) or of a grade (`A-`). */
const joints = /(?!^-\.?\p{Nd}|(?<=[\p{L}\p{N}])-$)[_\-\u2010-\u2015]+/gu;

/** The form in which labels are compared: normalized, with `_` and `-` as spaces. `Order-Status` equals `order_status`. */
export function labelKey(label: string): string {
  return normalize(label.trim().replace(joints, " "));
}

/** Aliases of aliases followed at most. */
const maximumChain = 10;

/** The key of the label that a spelling stands for, following chains of aliases. Labels that are aliases of each other get one key. */
export function canonicalKey(label: string, aliases: LabelRule["aliases"]): string {
  let key = labelKey(label);
  if (!aliases) return key;
  const meant = aliasIndex(aliases);
  const passed: string[] = [];
  while (!passed.includes(key) && passed.length < maximumChain) {
    passed.push(key);
    key = meant.get(key) ?? key;
  }
  return passed.includes(key) ? (passed.slice(passed.indexOf(key)).toSorted()[0] ?? key) : key;
}

type Aliases = NonNullable<LabelRule["aliases"]>;

const indexes = new WeakMap<Aliases, ReadonlyMap<string, string>>();

/** Spelling → label, by key; the first entry wins. Cached, because every label would search all aliases. */
function aliasIndex(aliases: Aliases): ReadonlyMap<string, string> {
  const known = indexes.get(aliases);
  if (known) return known;
  const meant = new Map<string, string>();
  for (const [canonical, others] of Object.entries(aliases)) {
    const key = labelKey(canonical);
    for (const other of others.map(labelKey)) if (!meant.has(other)) meant.set(other, key);
  }
  indexes.set(aliases, meant);
  return meant;
}

function nearness(generated: number, expected: number): number {
  if (generated === expected) return 1;
  const size = Math.abs(generated) + Math.abs(expected);
  // If the sum overflows, only equal numbers match.
  return Number.isFinite(size) ? Math.max(0, 1 - Math.abs(expected - generated) / size) : 0;
}

function matchItems(
  generated: readonly LabelValue[],
  expected: readonly LabelValue[],
  { aliases, tolerance }: LabelRule,
): number {
  const keysOf = (items: readonly LabelValue[]) => countWords(items.map((item) => itemKey(item, { aliases })));
  const shared =
    tolerance === undefined
      ? sharedWords(keysOf(generated), keysOf(expected))
      : sharedByOutline(byOutline(generated, aliases), byOutline(expected, aliases), tolerance);
  return overlapF1(shared, generated.length, expected.length);
}

/** The outline of a list item (its key without numbers) → the numbers of each such item. */
type Outlines = ReadonlyMap<string, readonly number[][]>;

function byOutline(items: readonly LabelValue[], aliases: LabelRule["aliases"]): Outlines {
  const outlines = new Map<string, number[][]>();
  for (const item of items) {
    const numbers: number[] = [];
    const outline = itemKey(item, { aliases, numbers });
    const alike = outlines.get(outline);
    if (alike) alike.push(numbers);
    else outlines.set(outline, [numbers]);
  }
  return outlines;
}

/** The number of items that two lists share within the tolerance, each used once. */
function sharedByOutline(generated: Outlines, expected: Outlines, tolerance: number): number {
  let shared = 0;
  for (const [outline, items] of generated) shared += sharedWithin(tolerance, items, expected.get(outline) ?? []);
  return shared;
}

function matchKeys(generated: Labels, expected: Labels, rule: LabelRule): number {
  const keys = Object.keys(expected);
  if (keys.length === 0) return 1;
  const total = keys.reduce(
    (sum, key) => sum + matchValue(ownValue(generated, key), expected[key] as LabelValue, rule),
    0,
  );
  return total / keys.length;
}

interface KeyOptions {
  readonly aliases: LabelRule["aliases"];
  /** Collects the numbers of the value, which are then left out of its key. */
  readonly numbers?: number[];
}

/** A text that is equal for equal values, ignoring key order and resolving aliases. */
function itemKey(value: LabelValue, options: KeyOptions): string {
  if (typeof value === "string") return JSON.stringify(canonicalKey(value, options.aliases));
  if (Array.isArray(value)) return `[${value.map((item) => itemKey(item, options)).join(",")}]`;
  if (isRecord(value)) {
    const pairs = Object.keys(value).toSorted();
    return `{${pairs.map((key) => `${JSON.stringify(key)}:${itemKey(value[key] as LabelValue, options)}`).join(",")}}`;
  }
  if (typeof value !== "number" || !options.numbers) return String(value);
  options.numbers.push(value);
  return "number";
}

/** An own property only: `toString` is not a label. */
export function ownValue(metadata: Labels, key: string): LabelValue | undefined {
  return Object.hasOwn(metadata, key) ? metadata[key] : undefined;
}

/** The numbers of one list item, in a fixed order. */
type Numbers = readonly number[];

/** With more pairs, items are matched in sorted order, which may miss a pair. */
const maximumPairs = 10_000;

/** The largest number of pairs of items, each used once, whose numbers are all within the tolerance. */
function sharedWithin(tolerance: number, left: readonly Numbers[], right: readonly Numbers[]): number {
  const fits = (one: Numbers, two: Numbers): boolean =>
    one.every((number, index) => isWithin(tolerance, number, two[index] as number));
  const [ours, theirs] = [left.toSorted(compareNumbers), right.toSorted(compareNumbers)];
  const useSorted = (ours[0]?.length ?? 0) <= 1 || ours.length * theirs.length > maximumPairs;
  return useSorted ? matchSorted(ours, theirs, fits) : maximumMatching(ours, theirs, fits);
}

type Fits = (one: Numbers, two: Numbers) => boolean;

/** Greedy matching of sorted lists: an item smaller than its counterpart fits none after it. */
function matchSorted(ours: readonly Numbers[], theirs: readonly Numbers[], fits: Fits): number {
  let shared = 0;
  for (let at = 0, other = 0; at < ours.length && other < theirs.length;) {
    const [one, two] = [ours[at] as Numbers, theirs[other] as Numbers];
    const isShared = fits(one, two);
    const isSmaller = compareNumbers(one, two) < 0;
    if (isShared) shared++;
    if (isShared || isSmaller) at++;
    if (isShared || !isSmaller) other++;
  }
  return shared;
}

/** Maximum bipartite matching by augmenting paths. */
function maximumMatching(ours: readonly Numbers[], theirs: readonly Numbers[], fits: Fits): number {
  const candidates = ours.map((one) => [...theirs.keys()].filter((index) => fits(one, theirs[index] as Numbers)));
  const holders: (number | undefined)[] = theirs.map(() => undefined);
  const takes = (one: number, asked: Set<number>): boolean =>
    (candidates[one] as number[]).some((index) => {
      if (asked.has(index)) return false;
      asked.add(index);
      const holder = holders[index];
      if (holder !== undefined && !takes(holder, asked)) return false;
      holders[index] = one;
      return true;
    });
  return ours.filter((_, one) => takes(one, new Set())).length;
}

function compareNumbers(one: Numbers, two: Numbers): number {
  const index = one.findIndex((number, at) => number !== two[at]);
  return index === -1 ? 0 : (one[index] as number) - (two[index] as number);
}

/** Relative rounding error of a difference. */
const rounding = 4 * Number.EPSILON;

/** True when two numbers differ by at most the tolerance, up to rounding: 1.1 is within 0.1 of 1. */
export function isWithin(tolerance: number, left: number, right: number): boolean {
  return Math.abs(left - right) <= tolerance + rounding * Math.max(Math.abs(left), Math.abs(right));
}
