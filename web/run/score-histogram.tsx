import { Group } from "@visx/group";
import { scaleBand, scaleLinear } from "@visx/scale";
import { Bar } from "@visx/shape";
import { useMemo } from "react";
import { toBins } from "./score-values.ts";

const width = 132;
const height = 30;
const bins = 10;
const x = scaleBand<number>({
  domain: Array.from({ length: bins }, (_, index) => index),
  range: [0, width],
  padding: 0.12,
});

/** How the turns spread over 0..1, in ten bins. */
export function ScoreHistogram({ name, values }: { name: string; values: readonly number[] }) {
  const counts = useMemo(() => toBins(values, bins), [values]);
  const most = Math.max(1, ...counts);
  const y = scaleLinear<number>({ domain: [0, most], range: [0, height - 2] });
  return (
    <svg role="img" aria-label={describe(name, counts)} width={width} height={height} className="block">
      <Group>
        {counts.map((count, index) => (
          <Bar
            key={index}
            x={x(index) ?? 0}
            y={height - 1 - (count === 0 ? 0 : Math.max(2, y(count)))}
            width={x.bandwidth()}
            height={count === 0 ? 1 : Math.max(2, y(count))}
            className={count === 0 ? "fill-line" : "fill-accent"}
          >
            <title>{`${(index / bins).toFixed(1)} to ${((index + 1) / bins).toFixed(1)}: ${count}`}</title>
          </Bar>
        ))}
      </Group>
    </svg>
  );
}

function describe(name: string, counts: readonly number[]): string {
  const parts = counts.flatMap((count, index) => (count === 0 ? [] : [`${count} from ${(index / bins).toFixed(1)}`]));
  return `${name}: turns by value, ${parts.join(", ") || "none"}`;
}
