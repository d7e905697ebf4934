import { figureText } from "../../base/numbers.ts";
import type { ScoreStats } from "../../contract/schemas/score.ts";

export const scoreText = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : figureText(value);

type Mean = number | null | undefined;

/** A mean with its 95 % interval, where there is one. */
export function meanText(stats: ScoreStats | undefined, mean: Mean = stats?.mean): string {
  const ends = endsOf(stats);
  if (typeof mean !== "number" || !ends) return scoreText(mean);
  return `${scoreText(mean)} [${scoreText(ends.lower)}, ${scoreText(ends.upper)}]`;
}

/** The same with half the width of the interval, unless that is lopsided by more than the rounding. */
export function marginText(stats: ScoreStats | undefined, mean: Mean = stats?.mean): string {
  const ends = endsOf(stats);
  if (typeof mean !== "number" || !ends) return scoreText(mean);
  const { lower, upper } = ends;
  const isEven = Math.abs(upper - mean - (mean - lower)) < 0.001;
  return isEven ? `${scoreText(mean)} ± ${scoreText((upper - lower) / 2)}` : meanText(stats, mean);
}

function endsOf(stats: ScoreStats | undefined): { lower: number; upper: number } | null {
  if (!stats || stats.ci_lower === null || stats.ci_upper === null) return null;
  return { lower: stats.ci_lower, upper: stats.ci_upper };
}
