import type { Run } from "../../src/contract/schemas/run.ts";
import type { ScoreStats } from "../../src/contract/schemas/scores/score.ts";

/** The mean of a score in one run. */
export interface HistoryPoint {
  readonly run: Run;
  readonly stats: ScoreStats;
  readonly at: number;
  readonly mean: number;
  readonly lower: number | null;
  readonly upper: number | null;
}

/** The points of ended runs that have this score, oldest first. */
export function toHistory(runs: readonly Run[], score: string): HistoryPoint[] {
  return runs
    .flatMap((run): HistoryPoint[] => {
      const stats = run.summary?.score_stats[score];
      if (!stats || stats.mean === null) return [];
      return [
        { run, stats, at: Date.parse(run.created_at), mean: stats.mean, lower: stats.ci_lower, upper: stats.ci_upper },
      ];
    })
    .toSorted((left, right) => left.at - right.at);
}

/** The scores that at least one run has, `overall` first. */
export function scoresOf(runs: readonly Run[]): string[] {
  const names = new Set(runs.flatMap(({ summary }) => Object.keys(summary?.score_stats ?? {})));
  return [...names].toSorted(
    (left, right) => Number(right === "overall") - Number(left === "overall") || left.localeCompare(right),
  );
}

export interface AxisScale {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
}

/** 0 to 1 for scores; wider for figures outside, such as durations. */
export function valueScale(points: readonly HistoryPoint[]): AxisScale {
  const values = points.flatMap(({ mean, lower, upper }) => [mean, lower ?? mean, upper ?? mean]);
  const least = Math.min(0, ...values);
  const most = Math.max(1, ...values);
  if (least === 0 && most === 1) return { from: 0, to: 1, ticks: [0, 0.25, 0.5, 0.75, 1] };
  const step = niceStep((most - least) / 4);
  const from = Math.floor(least / step) * step;
  const to = Math.ceil(most / step) * step;
  const count = Math.round((to - from) / step);
  return { from, to, ticks: Array.from({ length: count + 1 }, (_, index) => from + index * step) };
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
}
