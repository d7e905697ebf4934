import { scaleLinear } from "@visx/scale";
import type { RunComparison } from "../../src/contract/schemas/comparison.ts";

const width = 144;
const height = 20;

interface ForestRowProps {
  readonly score: RunComparison["scores"][number];
  readonly reach: number;
}

/** The effect as a dot and its interval as a line; what crosses the middle may be nothing. The numbers stand beside it. */
export function ForestRow({ score, reach }: ForestRowProps) {
  const x = scaleLinear<number>({ domain: [-reach, reach], range: [6, width - 6], clamp: true });
  const middle = height / 2;
  const tone = { better: "good", worse: "bad" }[score.verdict as "better" | "worse"] ?? "soft";
  return (
    <svg aria-hidden width={width} height={height} className={`block tone-${tone}`}>
      <line x1={x(-reach)} x2={x(reach)} y1={middle} y2={middle} className="stroke-line" />
      <line x1={x(0)} x2={x(0)} y1={1} y2={height - 1} className="stroke-line-strong" />
      {score.ci_lower !== null && score.ci_upper !== null && (
        <line
          x1={x(score.ci_lower)}
          x2={x(score.ci_upper)}
          y1={middle}
          y2={middle}
          strokeWidth={3}
          strokeLinecap="round"
          className="mark-line"
        />
      )}
      <circle cx={x(score.effect)} cy={middle} r={5} className="mark-dot" />
    </svg>
  );
}
