import { alpha, formatFigure } from "../../base/numbers.ts";
import type { Drift, DriftGap, Scores } from "../../contract/schemas/scores/score.ts";
import { pValueText, signedText } from "../../base/format.ts";
import { ClusterTable } from "../statistics/accumulators.ts";
import { withinDifferences } from "../statistics/intervals.ts";
import { mcnemar } from "../statistics/significance.ts";
import { MeanTally, type ScoredInteraction } from "./score-averages.ts";

/** Compares replies with generated and with reference history, turn by turn. */
export interface DriftTally {
  /** Adds one attempt in both modes. A turn counts only for scores it has in both, so that failures do not shift one mean. */
  add(attempt: {
    readonly generated: readonly ScoredInteraction[];
    readonly reference: readonly ScoredInteraction[];
    /** The cluster of the attempt, such as its scenario, for intervals. Default: each attempt is its own cluster. */
    readonly cluster?: number | string;
  }): void;
  /** Null when no turn was run both ways. */
  finish(): Drift | null;
}

interface Modes {
  readonly generated: MeanTally;
  readonly reference: MeanTally;
  /** reference - generated, by cluster. */
  readonly differences: Map<string, ClusterTable>;
}

const createModes = (): Modes => ({
  generated: new MeanTally(),
  reference: new MeanTally(),
  differences: new Map(),
});

/** `unit` names the clusters in the sentence. */
export function createDrift(unit: "attempt" | "scenario" = "attempt"): DriftTally {
  const all = createModes();
  const turns: Modes[] = [];
  const rows = new Map<number | string, number>();
  let clusters = 0;

  function modesAt(turn: number): Modes {
    while (turns.length <= turn) turns.push(createModes());
    return turns[turn] ?? all;
  }

  function rowOf(cluster: number | string | undefined): number {
    if (cluster === undefined) return clusters++;
    const row = rows.get(cluster) ?? clusters++;
    rows.set(cluster, row);
    return row;
  }

  return {
    add({ generated, reference, cluster }) {
      if (reference.length === 0) return;
      const row = rowOf(cluster);
      const scoresByTurn = new Map(reference.map(({ turn_index = 0, scores }) => [turn_index, scores]));
      for (const { scores: own, turn_index = 0 } of generated) {
        const other = scoresByTurn.get(turn_index);
        if (!other) continue;
        const pair = { own: sharedScores(own, other), other: sharedScores(other, own) };
        addPair(all, pair, { row, names: Object.keys(pair.own) });
        // Only `overall` by turn: all scores would take memory for each turn of each scenario.
        addPair(modesAt(turn_index), pair, { row, names: ["overall"] });
      }
    },
    finish() {
      if (all.generated.n === 0) return null;
      const by_turn = turns.map(gapsOf);
      const scores = gapsOf(all);
      return {
        scores,
        by_turn,
        sentence: toDriftSentence(scores["overall"], { byTurn: by_turn, unit, clusters: clustersOf(all, "overall") }),
      };
    },
  };
}

function addPair(
  { generated, reference, differences }: Modes,
  { own, other }: { own: Scores; other: Scores },
  { row, names }: { row: number; names: readonly string[] },
): void {
  generated.add(own);
  reference.add(other);
  for (const name of names) {
    const [left, right] = [own[name], other[name]];
    if (left === undefined || right === undefined) continue;
    const table = differences.get(name) ?? new ClusterTable();
    differences.set(name, table);
    table.add(row, right - left);
  }
}

function sharedScores(scores: Scores, other: Scores): Scores {
  return Object.fromEntries(Object.entries(scores).filter(([name]) => Object.hasOwn(other, name)));
}

function gapsOf({ generated, reference, differences }: Modes): Record<string, DriftGap> {
  return Object.fromEntries(
    generated.names().flatMap((name) => {
      const own = generated.of(name);
      const other = reference.of(name);
      if (!own || !other) return [];
      const gap = other.mean - own.mean;
      return [
        [name, { generated: own.mean, reference: other.mean, gap, n: own.count, ...endsOf(differences.get(name)) }],
      ];
    }),
  );
}

/** Clusters that have the score in both modes. */
function clustersOf({ differences }: Modes, name: string): number {
  return differences.get(name)?.mean().clusters ?? 0;
}

function endsOf(table: ClusterTable | undefined): Pick<DriftGap, "ci_lower" | "ci_upper"> {
  if (!table) return {};
  const { interval } = table.mean();
  const ends = interval && withinDifferences(interval);
  return { ci_lower: ends?.lower ?? null, ci_upper: ends?.upper ?? null };
}

/** Smaller differences are not reported. */
const noticeable = 0.005;

interface DriftContext {
  readonly byTurn: readonly Record<string, DriftGap>[];
  readonly unit: "attempt" | "scenario";
  /** Clusters that have `overall` in both modes. */
  readonly clusters: number;
}

function toDriftSentence(overall: DriftGap | undefined, context: DriftContext): string {
  const gap = overall?.gap ?? null;
  if (!overall || gap === null) return "There is no overall score in both modes to compare.";
  const { ci_lower: lower = null, ci_upper: upper = null } = overall;
  const shown = `(${formatFigure(overall.generated ?? 0)} against ${formatFigure(overall.reference ?? 0)})`;
  const difference = `overall is ${amountOf(gap)} with the model's own replies as history ${shown}`;
  const course = courseOf(context.byTurn);
  if (lower !== null && upper !== null) {
    const interval = `95 % interval of the gap ${signedText(lower)} to ${signedText(upper)}`;
    if (lower > 0 || upper < 0) return `${difference}, ${interval}.${course}`;
    const chance = isShown(gap) ? `, which may be chance (${interval})` : `, ${interval}`;
    return `No drift can be seen: ${difference}${chance}.${course}`;
  }
  if (Math.abs(gap) < noticeable) return `No drift can be seen: ${difference}.${extentOf(context)}`;
  return `${difference}.${course}${doubtOf(context)}`;
}

const isShown = (gap: number): boolean => Number(formatFigure(gap)) !== 0;

function amountOf(gap: number): string {
  return isShown(gap) ? `${formatFigure(Math.abs(gap))} ${gap > 0 ? "lower" : "higher"}` : "the same";
}

/** Without an interval there is one cluster, or the gap is the same in all and only their number counts. */
function doubtOf({ unit, clusters }: DriftContext): string {
  if (clusters === 1) return ` One ${unit} cannot tell whether that is chance.`;
  const p = mcnemar(clusters, 0);
  const enough = p < alpha ? "" : ", which are too few to rule out chance";
  return ` The gap is the same in all ${clusters} ${unit}s${enough} (p ${pValueText(p)}).`;
}

/** A missing difference is only as informative as the number of clusters. */
function extentOf({ unit, clusters }: DriftContext): string {
  return clusters === 1 ? ` One ${unit} cannot tell more.` : ` The gap is the same in all ${clusters} ${unit}s.`;
}

function courseOf(byTurn: readonly Record<string, DriftGap>[]): string {
  const gaps = byTurn.flatMap((turn, index) => {
    const value = turn["overall"]?.gap ?? null;
    return value === null ? [] : [{ turn: index + 1, value }];
  });
  const [first] = gaps;
  const last = gaps.at(-1);
  if (gaps.length < 2 || !first || !last) return "";
  return ` At turn ${first.turn} the gap is ${signedText(first.value)}, at turn ${last.turn} ${signedText(last.value)}.`;
}
