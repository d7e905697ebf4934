import { isRecord } from "../../contract/json-record.ts";
import type { LabelRule } from "../../contract/label-rule.ts";
import type { Metadata } from "../../contract/metadata.ts";
import { countWords, sharedWords } from "../text/count-words.ts";
import { isWithin } from "./is-within.ts";
import { labelKey } from "./label-key.ts";
import { overlapF1 } from "./overlap.ts";

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

/** Nobody has a longer chain of spellings in earnest, and each link is looked for among all aliases. */
const longestChain = 10;

/** The key of the label that a spelling stands for. What it stands for may be a spelling of another one; labels that stand for each other are one. */
export function canonicalKey(label: string, aliases: LabelRule["aliases"]): string {
  let key = labelKey(label);
  if (!aliases) return key;
  const passed: string[] = [];
  while (!passed.includes(key) && passed.length < longestChain) {
    passed.push(key);
    key = aliasedKey(key, aliases) ?? key;
  }
  return passed.includes(key) ? (passed.slice(passed.indexOf(key)).toSorted()[0] ?? key) : key;
}

function aliasedKey(key: string, aliases: NonNullable<LabelRule["aliases"]>): string | undefined {
  for (const [canonical, others] of Object.entries(aliases)) {
    if (others.some((other) => labelKey(other) === key)) return labelKey(canonical);
  }
  return undefined;
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
  const keyOf = (item: MetadataValue) => itemKey(item, aliases);
  const countsOf = (items: readonly MetadataValue[]) =>
    countWords(items.filter((item) => tolerance === undefined || !isNumber(item)).map(keyOf));
  const near =
    tolerance === undefined ? 0 : sharedNumbers(generated.filter(isNumber), expected.filter(isNumber), tolerance);
  const shared = sharedWords(countsOf(generated), countsOf(expected));
  return overlapF1(shared + near, generated.length, expected.length);
}

/** How many numbers of two lists fit each other, each used once. In order of size, whoever is too small for its counterpart fits none behind it. */
function sharedNumbers(left: readonly number[], right: readonly number[], tolerance: number): number {
  const [ours, theirs] = [left, right].map((numbers) => numbers.toSorted((one, other) => one - other)) as [
    number[],
    number[],
  ];
  let shared = 0;
  for (let at = 0, other = 0; at < ours.length && other < theirs.length;) {
    const [one, two] = [ours[at] as number, theirs[other] as number];
    const fits = isWithin(tolerance, one, two);
    if (fits) shared++;
    if (fits || one < two) at++;
    if (fits || one >= two) other++;
  }
  return shared;
}

function isNumber(item: MetadataValue): item is number {
  return typeof item === "number";
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

/** The same text for values that are equal, whatever the order of their keys, aliases counted. */
function itemKey(value: MetadataValue, aliases: LabelRule["aliases"]): string {
  if (typeof value === "string") return `"${canonicalKey(value, aliases)}"`;
  if (Array.isArray(value)) return `[${value.map((item) => itemKey(item, aliases)).join(",")}]`;
  if (isRecord(value)) {
    const pairs = Object.keys(value).toSorted();
    return `{${pairs.map((key) => `${JSON.stringify(key)}:${itemKey(value[key] as MetadataValue, aliases)}`).join(",")}}`;
  }
  return String(value);
}

/** What the object itself holds under the key: `toString` and the like are not labels. */
export function ownValue(metadata: Metadata, key: string): MetadataValue | undefined {
  return Object.hasOwn(metadata, key) ? metadata[key] : undefined;
}
