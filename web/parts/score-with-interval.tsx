import type { ScoreStats } from "../../src/contract/schemas/score.ts";
import { formatSample, formatScore } from "./format.ts";

/** A mean with its 95 % interval, or with the reason why there is none. */
export function ScoreWithInterval({
  stats,
  size = "small",
}: {
  stats: ScoreStats | undefined;
  size?: "small" | "large";
}) {
  if (!stats || stats.mean === null) return <span className="text-faint">–</span>;
  const { ci_lower: lower, ci_upper: upper } = stats;
  const hasInterval = lower !== null && upper !== null;
  return (
    <span className="whitespace-nowrap tabular-nums" title={`95 % interval, ${formatSample(stats.n)}, ${stats.method}`}>
      <span className={size === "large" ? "text-lg font-semibold sm:text-2xl" : "font-semibold"}>
        {formatScore(stats.mean)}
      </span>{" "}
      <span className="text-sm font-normal text-soft">
        {hasInterval ? `[${formatScore(lower)}, ${formatScore(upper)}]` : "no interval"}
      </span>
    </span>
  );
}
