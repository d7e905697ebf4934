import { hashText } from "../../base/hash.ts";
import type { LabelRule, LabelValue } from "../../scoring/scorers/label-rule.ts";
import type { LabelMetrics } from "../../contract/schemas/scores/score.ts";
import { canonicalKey, matchValue, ownValue } from "../../scoring/scorers/match-value.ts";
import {
  clusteredKappaInterval,
  cohensKappa,
  leaveOneOutKappas,
  marginsOf,
  type LabelCounts,
} from "../statistics/kappa.ts";
import type { ScoredInteraction } from "./score-averages.ts";

/** Counts labels under every expected key with plain values. */
interface LabelTallies {
  /** `cluster` is the attempt within a scenario, or the scenario within a run. */
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
        // Created before counting, so that a key without any label is reported with n = 0.
        const tally = tallies.get(key) ?? createLabelTally(rules[key]?.aliases);
        tallies.set(key, tally);
        // A missing label is an error only where the key was scored, that is, where the endpoint labels its replies.
        if (given === undefined && !Object.hasOwn(scores, `metadata.${key}`)) continue;
        if (Object.hasOwn(label_sources, key) && label_sources[key]?.unjudged) continue;
        tally.add(expected, isTolerated(given, value, rules[key]) ? expected : givenLabel(given, value), cluster);
      }
    },
    finish: () => Object.fromEntries([...tallies].map(([key, tally]) => [key, tally.finish()])),
  };
}

/** A number within the rule's tolerance counts as the expected label, like an alias. */
function isTolerated(given: LabelValue | undefined, expected: LabelValue, rule: LabelRule | undefined): boolean {
  return rule?.tolerance !== undefined && matchValue(given, expected, rule) === 1;
}

/** Null for lists and objects: they are scored, but not tabulated. */
function toLabel(value: LabelValue | undefined): string | null {
  return value === undefined || (typeof value === "object" && value !== null) ? null : String(value);
}

/** The generated value as a label. A value of another type gets its type added: "5" is not 5. */
function givenLabel(given: LabelValue | undefined, expected: LabelValue): string {
  if (given === undefined) return missingLabel;
  const text = toLabel(given);
  if (text === null) return Array.isArray(given) ? "(list)" : "(object)";
  return typeof given === typeof expected ? text : `${text} (${given === null ? "null" : typeof given})`;
}

/** A key with more labels holds free text: it gets an accuracy but no table. */
const maximumLabels = 200;
/** A labeller's answer when it cannot decide. A label of its own only where it is expected. */
const abstention = "unknown";
/** Table entry for an expected label that was not given. */
const missingLabel = "(missing)";

/** Counts pairs of expected and generated labels under one key, ignoring case, hyphens and underscores. */
export interface LabelTally {
  /** `cluster` (a scenario, an attempt) groups pairs that are not independent, for kappa's interval. */
  add(expected: string, generated: string, cluster: number | string): void;
  finish(): LabelMetrics;
}

/** More groups would not improve the interval: further clusters join existing groups. */
const maximumGroups = 2_000;

export function createLabelTally(aliases?: LabelRule["aliases"]): LabelTally {
  /** Canonical key → spelling, preferably the expected one. */
  const spellings = new Map<string, { text: string; expected: boolean }>();
  const counts = new Map<string, Map<string, number>>();
  const groups: Map<string, Map<string, number>>[] = [];
  const groupIndexes = new Map<number | string, number>();
  let n = 0;
  let right = 0;

  function spell(text: string, expected: boolean): string {
    const key = canonicalKey(text, aliases);
    const known = spellings.get(key);
    if (!known || (expected && !known.expected)) spellings.set(key, { text, expected });
    return key;
  }

  /** Extra clusters are spread by hash, because suites are often sorted by label. */
  function groupOf(cluster: number | string): Map<string, Map<string, number>> {
    if (!groupIndexes.has(cluster) && groupIndexes.size < maximumGroups) groupIndexes.set(cluster, groupIndexes.size);
    const index = groupIndexes.get(cluster) ?? hashText(String(cluster)) % maximumGroups;
    return (groups[index] ??= new Map());
  }

  return {
    add(expected, generated, cluster) {
      n++;
      if (canonicalKey(expected, aliases) === canonicalKey(generated, aliases)) right++;
      if (spellings.size > maximumLabels) return;
      const row = spell(expected, true);
      const column = spell(generated, false);
      increase(counts, row, column);
      increase(groupOf(cluster), row, column);
    },
    finish() {
      const accuracy = n === 0 ? null : right / n;
      if (n === 0 || spellings.size > maximumLabels) return { n, accuracy, macro_f1: null, kappa: null, confusion: {} };
      const spelling = (key: string) => spellings.get(key)?.text ?? key;
      const confusion = Object.fromEntries(
        [...counts].map(([row, cells]) => [
          spelling(row),
          Object.fromEntries([...cells].map(([column, count]) => [spelling(column), count])),
        ]),
      );
      return { n, accuracy, macro_f1: macroF1(counts), ...kappaOf(counts, groups), confusion };
    },
  };
}

function increase(counts: Map<string, Map<string, number>>, row: string, column: string): void {
  const cells = counts.get(row) ?? new Map<string, number>();
  counts.set(row, cells.set(column, (cells.get(column) ?? 0) + 1));
}

function kappaOf(
  counts: LabelCounts,
  clusters: readonly LabelCounts[],
): Pick<LabelMetrics, "kappa" | "kappa_ci_lower" | "kappa_ci_upper" | "kappa_method"> {
  const kappa = cohensKappa(counts);
  const interval = clusteredKappaInterval(clusters);
  const ends = { kappa_ci_lower: interval?.lower ?? null, kappa_ci_upper: interval?.upper ?? null };
  if (kappa === null) return { kappa, ...ends, kappa_method: "none: one label only, chance alone would always agree" };
  if (clusters.length < 3) return { kappa, ...ends, kappa_method: "none: fewer than three groups" };
  if (interval) return { kappa, ...ends, kappa_method: `jackknife over ${clusters.length} groups` };
  const rests = leaveOneOutKappas(clusters).includes(null);
  return {
    kappa,
    ...ends,
    kappa_method: rests ? "none: all but one label stand in one group alone" : "none: no spread",
  };
}

/** Mean F1 over all expected or generated labels. Missing labels and abstentions lower recall but are not labels themselves. */
function macroF1(counts: LabelCounts): number | null {
  const { expected, generated } = marginsOf(counts);
  const labels = new Set([...expected.keys(), ...generated.keys()]);
  for (const none of [abstention, missingLabel]) if (!expected.has(none)) labels.delete(none);
  let sum = 0;
  for (const label of labels) {
    const hits = counts.get(label)?.get(label) ?? 0;
    sum += (2 * hits) / ((expected.get(label) ?? 0) + (generated.get(label) ?? 0));
  }
  return labels.size === 0 ? null : sum / labels.size;
}
