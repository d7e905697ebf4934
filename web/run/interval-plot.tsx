import { scaleLinear } from "@visx/scale";
import type { ScoreStats } from "../../src/contract/score-stats.ts";

const width = 120;
const height = 18;
const x = scaleLinear<number>({ domain: [0, 1], range: [4, width - 4] });

/** The mean as a dot on the way from 0 to 1, its interval as a line. The numbers stand beside it. */
export function IntervalPlot({ stats }: { stats: ScoreStats }) {
  if (stats.mean === null) return null;
  return (
    <svg aria-hidden width={width} height={height} className="block">
      <line x1={x(0)} x2={x(1)} y1={height / 2} y2={height / 2} className="stroke-line" />
      {[0, 0.5, 1].map((tick) => (
        <line key={tick} x1={x(tick)} x2={x(tick)} y1={4} y2={height - 4} className="stroke-line" />
      ))}
      {stats.ci_lower !== null && stats.ci_upper !== null && (
        <line
          x1={x(stats.ci_lower)}
          x2={x(stats.ci_upper)}
          y1={height / 2}
          y2={height / 2}
          strokeWidth={3}
          strokeLinecap="round"
          className="stroke-accent opacity-50"
        />
      )}
      <circle cx={x(stats.mean)} cy={height / 2} r={4} className="fill-accent" />
    </svg>
  );
}
