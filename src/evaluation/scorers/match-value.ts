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
 * A value of another type does not fit. A rule may add aliases of labels and a tolerance for numbers.
 */
export function matchValue(
  generated: MetadataValue | undefined,
  expected: MetadataValue,
  { aliases, tolerance }: LabelRule = {},
): number {
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
  if (Array.isArray(expected)) return Array.isArray(generated) ? matchItems(generated, expected, aliases) : 0;
  if (isObject(expected)) return isObject(generated) ? matchKeys(generated, expected) : 0;
  return generated === expected ? 1 : 0;
}

/** The key of the label that a spelling stands for. */
export function canonicalKey(label: string, aliases: LabelRule["aliases"]): string {
  const key = labelKey(label);
  for (const [canonical, others] of Object.entries(aliases ?? {})) {
    if (others.some((other) => labelKey(other) === key)) return labelKey(canonical);
  }
  return key;
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
  aliases: LabelRule["aliases"],
): number {
  const keyOf = (item: MetadataValue) =>
    typeof item === "string" ? `"${canonicalKey(item, aliases)}"` : itemKey(item);
  const shared = sharedWords(countWords(generated.map(keyOf)), countWords(expected.map(keyOf)));
  return overlapF1(shared, generated.length, expected.length);
}

function matchKeys(generated: Metadata, expected: Metadata): number {
  const keys = Object.keys(expected);
  if (keys.length === 0) return 1;
  const total = keys.reduce(
    (sum, key) => sum + matchValue(ownValue(generated, key), expected[key] as MetadataValue),
    0,
  );
  return total / keys.length;
}

/** The same text for values that are equal, whatever the order of their keys. */
function itemKey(value: MetadataValue): string {
  if (typeof value === "string") return `"${labelKey(value)}"`;
  if (Array.isArray(value)) return `[${value.map(itemKey).join(",")}]`;
  if (isObject(value)) {
    const pairs = Object.keys(value).toSorted();
    return `{${pairs.map((key) => `${JSON.stringify(key)}:${itemKey(value[key] as MetadataValue)}`).join(",")}}`;
  }
  return String(value);
}

/** What the object itself holds under the key: `toString` and the like are not labels. */
export function ownValue(metadata: Metadata, key: string): MetadataValue | undefined {
  return Object.hasOwn(metadata, key) ? metadata[key] : undefined;
}

function isObject(value: MetadataValue): value is Metadata {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
