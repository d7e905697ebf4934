import { Group } from "@visx/group";
import { scaleBand, scaleLinear } from "@visx/scale";
import { Bar } from "@visx/shape";
import type { ScoreStats } from "../../../src/contract/schemas/scores/score.ts";
import { formatCount, formatInteger, formatNoInterval, formatScore } from "../../parts/text/format.ts";
import { groupScores, scoreLabel } from "../../parts/runs/scores.ts";

interface ScoreTableProps {
  readonly stats: Readonly<Record<string, ScoreStats>>;
  /** Turns by value; null while the digest loads. */
  readonly bins: ReadonlyMap<string, readonly number[]> | null;
  /** Average of each attempt; empty if there are too many to plot. */
  readonly averages: ReadonlyMap<string, readonly number[]>;
  /** Scores that rest on a judge without an audit. */
  readonly unaudited: readonly string[];
}

export function ScoreTable({ stats, bins, averages, unaudited }: ScoreTableProps) {
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Scores">
      <table className="data-table card-table">
        <caption className="sr-only">Every score with its 95 % interval and counts</caption>
        <thead>
          <tr>
            <th scope="col">Score</th>
            <th scope="col" className="number">
              Mean
            </th>
            <th scope="col">95 % interval</th>
            <th scope="col">0 to 1{averages.size > 0 && ", attempts below"}</th>
            <th scope="col">Turns by value</th>
            <th scope="col" className="number">
              Lowest
            </th>
            <th scope="col" className="number">
              sd
            </th>
            <th scope="col" className="number">
              n
            </th>
            <th scope="col" className="number">
              Missing
            </th>
          </tr>
        </thead>
        {groupScores(Object.entries(stats), ([name]) => name).map(({ title, entries }) => (
          <tbody key={title}>
            {title && (
              <tr className="score-group">
                <th scope="rowgroup" colSpan={9}>
                  {title}
                </th>
              </tr>
            )}
            {entries.map(([name, score]) => (
              <tr key={name}>
                <th scope="row" className="verbatim min-w-32">
                  {scoreLabel(name)}
                  {unaudited.includes(name) && (
                    <span className="block text-xs font-normal text-warn">judge not audited</span>
                  )}
                </th>
                <td className="number font-semibold" data-label="Mean">
                  {formatScore(score.mean)}
                </td>
                <td className="tabular-nums" title={score.method} data-label="95 %">
                  {score.ci_lower === null ? (
                    <span className="text-soft">none: {formatNoInterval(score.method)}</span>
                  ) : (
                    <span className="whitespace-nowrap">
                      {formatScore(score.ci_lower)} to {formatScore(score.ci_upper)}
                    </span>
                  )}
                </td>
                <td data-label="0 to 1" data-wide="">
                  <IntervalPlot stats={score} attempts={averages.get(name) ?? []} />
                </td>
                <td data-label="Turns by value" data-wide="">
                  {bins && <ScoreHistogram name={scoreLabel(name)} counts={bins.get(name) ?? []} />}
                </td>
                <td className="number" data-label="Lowest">
                  {formatScore(score.min)}
                </td>
                <td className="number" data-label="sd">
                  {formatScore(score.sd)}
                </td>
                <td className="number" data-label="n">
                  {formatInteger(score.n)}
                </td>
                <td className="number" data-label="Missing">
                  {formatInteger(score.n_missing)}
                </td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

const intervalWidth = 136;
const intervalHeight = 26;
const middle = 9;
const intervalX = scaleLinear<number>({ domain: [0, 1], range: [4, intervalWidth - 4] });

/** The mean as a dot on a line from 0 to 1, its interval as a thick line, and a mark for each attempt below. */
function IntervalPlot({ stats, attempts }: { stats: ScoreStats; attempts: readonly number[] }) {
  if (stats.mean === null) return null;
  return (
    <svg aria-hidden width={intervalWidth} height={intervalHeight} className="block">
      <line x1={intervalX(0)} x2={intervalX(1)} y1={middle} y2={middle} className="stroke-line" />
      {[0, 0.5, 1].map((tick) => (
        <line
          key={tick}
          x1={intervalX(tick)}
          x2={intervalX(tick)}
          y1={middle - 5}
          y2={middle + 5}
          className="stroke-line"
        />
      ))}
      {stats.ci_lower !== null && stats.ci_upper !== null && (
        <line
          x1={intervalX(stats.ci_lower)}
          x2={intervalX(stats.ci_upper)}
          y1={middle}
          y2={middle}
          strokeWidth={3}
          strokeLinecap="round"
          className="stroke-accent opacity-50"
        />
      )}
      <circle cx={intervalX(stats.mean)} cy={middle} r={4} className="fill-accent" />
      {attempts.map((value, index) => (
        <line
          key={index}
          x1={intervalX(value)}
          x2={intervalX(value)}
          y1={intervalHeight - 8}
          y2={intervalHeight - 1}
          className="stroke-soft opacity-40"
        />
      ))}
    </svg>
  );
}

const histogramWidth = 132;
const histogramHeight = 30;
const axisHeight = 13;
const binEdge = (bin: number): string => (bin / 10).toFixed(1);
const histogramX = scaleBand<number>({
  domain: Array.from({ length: 10 }, (_, index) => index),
  range: [0, histogramWidth],
  padding: 0.12,
});

/** The distribution of turns over 0..1, in ten bins. */
function ScoreHistogram({ name, counts }: { name: string; counts: readonly number[] }) {
  const y = scaleLinear<number>({ domain: [0, Math.max(1, ...counts)], range: [0, histogramHeight - 2] });
  return (
    <svg
      role="img"
      aria-label={describeBins(name, counts)}
      width={histogramWidth}
      height={histogramHeight + axisHeight}
      className="block"
    >
      {[0, 0.5, 1].map((tick) => (
        <text
          key={tick}
          x={tick * histogramWidth}
          y={histogramHeight + axisHeight - 2}
          textAnchor={tick === 0 ? "start" : tick === 1 ? "end" : "middle"}
          className="fill-soft text-[0.7rem]"
        >
          {tick}
        </text>
      ))}
      <Group>
        {counts.map((count, index) => (
          <Bar
            key={index}
            x={histogramX(index) ?? 0}
            y={histogramHeight - 1 - (count === 0 ? 0 : Math.max(2, y(count)))}
            width={histogramX.bandwidth()}
            height={count === 0 ? 1 : Math.max(2, y(count))}
            className={count === 0 ? "fill-line" : "fill-accent"}
          />
        ))}
        {/* The whole height of a bin can be hovered. */}
        {counts.map((count, index) => (
          <Bar
            key={index}
            x={(index * histogramWidth) / counts.length}
            y={0}
            width={histogramWidth / counts.length}
            height={histogramHeight}
            className="fill-transparent hover:fill-ink/10"
          >
            <title>{`${binEdge(index)} to ${binEdge(index + 1)}: ${formatCount(count, "turn")}`}</title>
          </Bar>
        ))}
      </Group>
    </svg>
  );
}

function describeBins(name: string, counts: readonly number[]): string {
  const parts = counts.flatMap((count, index) =>
    count === 0 ? [] : [`${formatInteger(count)} from ${binEdge(index)}`],
  );
  return `${name}: turns by value, ${parts.join(", ") || "none"}`;
}
