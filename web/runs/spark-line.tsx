import { formatScore } from "../parts/format.ts";

const width = 64;
const height = 20;
const edge = 3;

/** Overall scores of a test, the oldest first; the dot is this run. Drawn by hand: a chart library would double the first view. */
export function SparkLine({ values }: { values: readonly number[] }) {
  if (values.length < 2) return null;
  const x = (index: number): number => edge + (index * (width - 2 * edge)) / (values.length - 1);
  const y = (value: number): number => height - edge - value * (height - 2 * edge);
  const points = values.map((value, index) => `${x(index)},${y(value)}`).join(" ");
  return (
    <svg
      role="img"
      aria-label={`Runs of this test up to this one: ${values.map(formatScore).join(", ")}`}
      width={width}
      height={height}
      className="inline-block align-middle"
    >
      <polyline points={points} strokeWidth={1.5} className="fill-none stroke-line-strong" />
      <circle cx={x(values.length - 1)} cy={y(values.at(-1) ?? 0)} r={2.5} className="fill-accent" />
    </svg>
  );
}
