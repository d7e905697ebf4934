import type { LabelMetrics } from "../../contract/score-stats.ts";
import { labelKey } from "../scorers/label-key.ts";

/** A key with more labels than this holds free text: it has an accuracy but no table. */
const maximumLabels = 200;
/** What a labeller says when it cannot tell. Not a label of its own unless somebody expects it. */
const abstention = "unknown";

/** Counts pairs of expected and generated labels under one key. Labels that differ in case, hyphens or underscores are one label. */
export interface LabelTally {
  add(expected: string, generated: string): void;
  finish(): LabelMetrics;
}

export function createLabelTally(): LabelTally {
  /** labelKey → spelling: the expected one if there is one. */
  const spellings = new Map<string, { text: string; expected: boolean }>();
  const counts = new Map<string, Map<string, number>>();
  let n = 0;
  let right = 0;

  function spell(text: string, expected: boolean): string {
    const key = labelKey(text);
    const known = spellings.get(key);
    if (!known || (expected && !known.expected)) spellings.set(key, { text, expected });
    return key;
  }

  return {
    add(expected, generated) {
      n++;
      if (labelKey(expected) === labelKey(generated)) right++;
      if (spellings.size > maximumLabels) return;
      const row = spell(expected, true);
      const column = spell(generated, false);
      const cells = counts.get(row) ?? new Map<string, number>();
      counts.set(row, cells.set(column, (cells.get(column) ?? 0) + 1));
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
      return { n, accuracy, macro_f1: macroF1(counts), kappa: kappa(counts, n), confusion };
    },
  };
}

type Counts = ReadonlyMap<string, ReadonlyMap<string, number>>;

function totals(counts: Counts): { expected: Map<string, number>; generated: Map<string, number> } {
  const expected = new Map<string, number>();
  const generated = new Map<string, number>();
  for (const [row, cells] of counts) {
    for (const [column, count] of cells) {
      expected.set(row, (expected.get(row) ?? 0) + count);
      generated.set(column, (generated.get(column) ?? 0) + count);
    }
  }
  return { expected, generated };
}

/** Mean F1 over every label that was expected or generated; an abstention costs recall but is no label to be right about. */
function macroF1(counts: Counts): number | null {
  const { expected, generated } = totals(counts);
  const labels = new Set([...expected.keys(), ...generated.keys()]);
  if (!expected.has(abstention)) labels.delete(abstention);
  let sum = 0;
  for (const label of labels) {
    const hits = counts.get(label)?.get(label) ?? 0;
    sum += (2 * hits) / ((expected.get(label) ?? 0) + (generated.get(label) ?? 0));
  }
  return labels.size === 0 ? null : sum / labels.size;
}

/** Cohen's kappa: agreement beyond chance. Undefined when chance alone would always agree. */
function kappa(counts: Counts, n: number): number | null {
  const { expected, generated } = totals(counts);
  let observed = 0;
  let byChance = 0;
  for (const [label, count] of expected) {
    observed += (counts.get(label)?.get(label) ?? 0) / n;
    byChance += (count / n) * ((generated.get(label) ?? 0) / n);
  }
  return 1 - byChance < 1e-12 ? null : (observed - byChance) / (1 - byChance);
}
