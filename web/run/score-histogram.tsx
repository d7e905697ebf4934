import { Group } from "@visx/group";
import { scaleBand, scaleLinear } from "@visx/scale";
import { Bar } from "@visx/shape";
import { formatInteger } from "../parts/format.ts";

const width = 132;
const height = 30;
const edge = (bin: number): string => (bin / 10).toFixed(1);
const x = scaleBand<number>({
  domain: Array.from({ length: 10 }, (_, index) => index),
  range: [0, width],
  padding: 0.12,
});

/** How the turns spread over 0..1, in ten bins. */
export function ScoreHistogram({ name, counts }: { name: string; counts: readonly number[] }) {
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
            <title>{`${edge(index)} to ${edge(index + 1)}: ${formatInteger(count)}`}</title>
          </Bar>
        ))}
      </Group>
    </svg>
  );
}

function describe(name: string, counts: readonly number[]): string {
  const parts = counts.flatMap((count, index) => (count === 0 ? [] : [`${formatInteger(count)} from ${edge(index)}`]));
  return `${name}: turns by value, ${parts.join(", ") || "none"}`;
}
