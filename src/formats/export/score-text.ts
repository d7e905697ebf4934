import type { ScoreStats } from "../../contract/score-stats.ts";

export const scoreText = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : value.toFixed(3);

/** Mean and half the width of the 95 % interval; the interval's own ends when it is lopsided by more than the rounding. */
export function meanText(stats: ScoreStats | undefined, mean: number | undefined = stats?.mean ?? undefined): string {
  if (mean === undefined) return "–";
  if (!stats || stats.ci_lower === null || stats.ci_upper === null) return scoreText(mean);
  const { ci_lower, ci_upper } = stats;
  const even = Math.abs(ci_upper - mean - (mean - ci_lower)) < 0.001;
  return even
    ? `${scoreText(mean)} ± ${scoreText((ci_upper - ci_lower) / 2)}`
    : `${scoreText(mean)} [${scoreText(ci_lower)}, ${scoreText(ci_upper)}]`;
}
