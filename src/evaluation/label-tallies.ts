import type { LabelRule } from "../contract/schemas/evaluation-request.ts";
import type { LabelMetrics } from "../contract/schemas/score.ts";
import type { ScoredInteraction } from "./scored-interaction.ts";
import { matchValue, ownValue, type MetadataValue } from "./scorers/match-value.ts";
import { createLabelTally, missingLabel, type LabelTally } from "./statistics/label-metrics.ts";

/** Counts the labels of many interactions under every expected key that holds plain values. */
interface LabelTallies {
  /** `cluster` tells apart what belongs together: attempts within a scenario, scenarios within a run. */
  add(
    interaction: Pick<ScoredInteraction, "scores" | "reference_metadata" | "generated_metadata" | "label_sources">,
    cluster: number | string,
  ): void;
  finish(): Record<string, LabelMetrics>;
}

export function createLabelTallies(rules: Readonly<Record<string, LabelRule>> = {}): LabelTallies {
  const tallies = new Map<string, LabelTally>();

  return {
    add({ scores, reference_metadata, generated_metadata, label_sources = {} }, cluster) {
      for (const [key, value] of Object.entries(reference_metadata)) {
        const expected = toLabel(value);
        const given = ownValue(generated_metadata, key);
        if (expected === null) continue;
        // Before anything is counted: a key that no reply could be labelled by is told with a count of 0.
        const tally = tallies.get(key) ?? createLabelTally(rules[key]?.aliases);
        tallies.set(key, tally);
        // Left out by an endpoint that labels its replies is wrong, as its score says; without a score nobody could tell.
        if (given === undefined && !Object.hasOwn(scores, `metadata.${key}`)) continue;
        if (Object.hasOwn(label_sources, key) && label_sources[key]?.unjudged) continue;
        tally.add(expected, isTolerated(given, value, rules[key]) ? expected : givenLabel(given, value), cluster);
      }
    },
    finish: () => Object.fromEntries([...tallies].map(([key, tally]) => [key, tally.finish()])),
  };
}

/** A number that its rule takes for the expected one counts as that one, as an alias does. */
function isTolerated(given: MetadataValue | undefined, expected: MetadataValue, rule: LabelRule | undefined): boolean {
  return rule?.tolerance !== undefined && matchValue(given, expected, rule) === 1;
}

/** Lists and objects are scored, but they are no labels to make a table of. */
function toLabel(value: MetadataValue | undefined): string | null {
  return value === undefined || (typeof value === "object" && value !== null) ? null : String(value);
}

/** What was given, as a label. A value of another type never fits, though it may read the same: "5" where 5 is expected is another label. */
function givenLabel(given: MetadataValue | undefined, expected: MetadataValue): string {
  if (given === undefined) return missingLabel;
  const text = toLabel(given);
  if (text === null) return Array.isArray(given) ? "(list)" : "(object)";
  return typeof given === typeof expected ? text : `${text} (${given === null ? "null" : typeof given})`;
}
