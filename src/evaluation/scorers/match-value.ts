import { isRecord } from "../../base/json.ts";
import type { LabelRule } from "../../contract/schemas/evaluation-request.ts";
import type { Metadata } from "../../contract/schemas/scenario.ts";
import { countWords, sharedWords } from "../text/count-words.ts";
import { isWithin } from "./is-within.ts";
import { labelKey } from "./label-key.ts";
import { overlapF1 } from "./overlap.ts";
import { sharedWithin } from "./shared-within.ts";

/** Any JSON value, as metadata holds it. */
export type MetadataValue = Metadata[string];

/**
 * How well a generated label fits the expected one, 0..1, by the type of the expected one.
 * Text: equal as labels. Boolean and null: equal. Number: nearness relative to both sizes.
 * Array: F1 of its items, order aside. Object: mean over the expected keys; further keys do not count.
 * A value of another type does not fit. A rule may add aliases of labels and a tolerance for numbers, also for those within.
 */
export function matchValue(
  generated: MetadataValue | undefined,
  expected: MetadataValue,
  rule: LabelRule = {},
): number {
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

/** Nobody has a longer chain of spellings in earnest. */
const longestChain = 10;

/** The key of the label that a spelling stands for. What it stands for may be a spelling of another one; labels that stand for each other are one. */
export function canonicalKey(label: string, aliases: LabelRule["aliases"]): string {
  let key = labelKey(label);
  if (!aliases) return key;
  const meant = meantBy(aliases);
  const passed: string[] = [];
  while (!passed.includes(key) && passed.length < longestChain) {
    passed.push(key);
    key = meant.get(key) ?? key;
  }
  return passed.includes(key) ? (passed.slice(passed.indexOf(key)).toSorted()[0] ?? key) : key;
}

type Aliases = NonNullable<LabelRule["aliases"]>;

const indexes = new WeakMap<Aliases, ReadonlyMap<string, string>>();

/** What each spelling stands for, by their keys; the first counts. There may be as many labels as aliases, and each would look through all. */
function meantBy(aliases: Aliases): ReadonlyMap<string, string> {
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
  // Beyond the largest number the sum is infinite and so is every difference: nothing fits but equality.
  return Number.isFinite(size) ? Math.max(0, 1 - Math.abs(expected - generated) / size) : 0;
}

function matchItems(
  generated: readonly MetadataValue[],
  expected: readonly MetadataValue[],
  { aliases, tolerance }: LabelRule,
): number {
  const keysOf = (items: readonly MetadataValue[]) => countWords(items.map((item) => itemKey(item, { aliases })));
  const shared =
    tolerance === undefined
      ? sharedWords(keysOf(generated), keysOf(expected))
      : sharedNearly(byOutline(generated, aliases), byOutline(expected, aliases), tolerance);
  return overlapF1(shared, generated.length, expected.length);
}

/** What the items of a list are but for their numbers → the numbers of each of them. */
type Outlines = ReadonlyMap<string, readonly number[][]>;

function byOutline(items: readonly MetadataValue[], aliases: LabelRule["aliases"]): Outlines {
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

/** How many items two lists share, each used once, where their numbers need not be the same. */
function sharedNearly(generated: Outlines, expected: Outlines, tolerance: number): number {
  let shared = 0;
  for (const [outline, items] of generated) shared += sharedWithin(tolerance, items, expected.get(outline) ?? []);
  return shared;
}

function matchKeys(generated: Metadata, expected: Metadata, rule: LabelRule): number {
  const keys = Object.keys(expected);
  if (keys.length === 0) return 1;
  const total = keys.reduce(
    (sum, key) => sum + matchValue(ownValue(generated, key), expected[key] as MetadataValue, rule),
    0,
  );
  return total / keys.length;
}

interface KeyOptions {
  readonly aliases: LabelRule["aliases"];
  /** Takes the numbers of the value, which are then no part of its key. */
  readonly numbers?: number[];
}

/** The same text for values that are equal, whatever the order of their keys, aliases counted. */
function itemKey(value: MetadataValue, options: KeyOptions): string {
  if (typeof value === "string") return JSON.stringify(canonicalKey(value, options.aliases));
  if (Array.isArray(value)) return `[${value.map((item) => itemKey(item, options)).join(",")}]`;
  if (isRecord(value)) {
    const pairs = Object.keys(value).toSorted();
    return `{${pairs.map((key) => `${JSON.stringify(key)}:${itemKey(value[key] as MetadataValue, options)}`).join(",")}}`;
  }
  if (typeof value !== "number" || !options.numbers) return String(value);
  options.numbers.push(value);
  return "number";
}

/** What the object itself holds under the key: `toString` and the like are not labels. */
export function ownValue(metadata: Metadata, key: string): MetadataValue | undefined {
  return Object.hasOwn(metadata, key) ? metadata[key] : undefined;
}
