import { hashText } from "../../base/hash.ts";
import type { LabelRule } from "../../contract/schemas/evaluation-request.ts";
import type { LabelMetrics } from "../../contract/schemas/score.ts";
import { canonicalKey } from "../scorers/match-value.ts";
import { clusteredKappaInterval, cohensKappa, kappasWithout, marginsOf, type LabelCounts } from "./kappa.ts";

/** A key with more labels than this holds free text: it has an accuracy but no table. */
const maximumLabels = 200;
/** What a labeller says when it cannot tell. Not a label of its own unless somebody expects it. */
const abstention = "unknown";
/** Stands in the table for a label that should have been given and was not. */
export const missingLabel = "(missing)";

/** Counts pairs of expected and generated labels under one key. Labels that differ in case, hyphens or underscores are one label. */
export interface LabelTally {
  /** Pairs of one cluster (a scenario, an attempt) resemble each other: kappa's interval goes by clusters. */
  add(expected: string, generated: string, cluster: number | string): void;
  finish(): LabelMetrics;
}

/** So many groups give the interval just as well as more would: further clusters join them. */
const maximumGroups = 2_000;

export function createLabelTally(aliases?: LabelRule["aliases"]): LabelTally {
  /** labelKey → spelling: the expected one if there is one. */
  const spellings = new Map<string, { text: string; expected: boolean }>();
  const counts = new Map<string, Map<string, number>>();
  const groups: Map<string, Map<string, number>>[] = [];
  const places = new Map<number | string, number>();
  let n = 0;
  let right = 0;

  function spell(text: string, expected: boolean): string {
    const key = canonicalKey(text, aliases);
    const known = spellings.get(key);
    if (!known || (expected && !known.expected)) spellings.set(key, { text, expected });
    return key;
  }

  /** One that finds no group of its own joins one of them, whichever: suites are often sorted by their labels. */
  function groupOf(cluster: number | string): Map<string, Map<string, number>> {
    if (!places.has(cluster) && places.size < maximumGroups) places.set(cluster, places.size);
    const place = places.get(cluster) ?? hashText(String(cluster)) % maximumGroups;
    return (groups[place] ??= new Map());
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
  const rests = kappasWithout(clusters).includes(null);
  return {
    kappa,
    ...ends,
    kappa_method: rests ? "none: all but one label stand in one group alone" : "none: no spread",
  };
}

/** Mean F1 over every label that was expected or generated; none or an abstention costs recall but is no label to be right about. */
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
