import { scaleLinear } from "@visx/scale";
import type { ScoreStats } from "../../src/contract/schemas/score.ts";

const width = 136;
const height = 26;
const middle = 9;
const x = scaleLinear<number>({ domain: [0, 1], range: [4, width - 4] });

/** The mean as a dot on the way from 0 to 1, its interval as a line, and below it a mark for each attempt. */
export function IntervalPlot({ stats, attempts }: { stats: ScoreStats; attempts: readonly number[] }) {
  if (stats.mean === null) return null;
  return (
    <svg aria-hidden width={width} height={height} className="block">
      <line x1={x(0)} x2={x(1)} y1={middle} y2={middle} className="stroke-line" />
      {[0, 0.5, 1].map((tick) => (
        <line key={tick} x1={x(tick)} x2={x(tick)} y1={middle - 5} y2={middle + 5} className="stroke-line" />
      ))}
      {stats.ci_lower !== null && stats.ci_upper !== null && (
        <line
          x1={x(stats.ci_lower)}
          x2={x(stats.ci_upper)}
          y1={middle}
          y2={middle}
          strokeWidth={3}
          strokeLinecap="round"
          className="stroke-accent opacity-50"
        />
      )}
      <circle cx={x(stats.mean)} cy={middle} r={4} className="fill-accent" />
      {attempts.map((value, index) => (
        <line
          key={index}
          x1={x(value)}
          x2={x(value)}
          y1={height - 8}
          y2={height - 1}
          className="stroke-soft opacity-40"
        />
      ))}
    </svg>
  );
}
