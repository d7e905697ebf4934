import type { ScoreStats } from "../../src/contract/schemas/score.ts";
import { formatInteger, formatNoInterval, formatScore, scoreLabel } from "../parts/format.ts";
import { overallFirst } from "../parts/score-order.ts";
import { IntervalPlot } from "./interval-plot.tsx";
import { ScoreHistogram } from "./score-histogram.tsx";

interface ScoreTableProps {
  readonly stats: Readonly<Record<string, ScoreStats>>;
  /** Turns by value; null while they are counted. */
  readonly bins: ReadonlyMap<string, readonly number[]> | null;
  /** Of each attempt, where there are few enough to be drawn one by one. */
  readonly averages: ReadonlyMap<string, readonly number[]>;
}

export function ScoreTable({ stats, bins, averages }: ScoreTableProps) {
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
        <tbody>
          {Object.entries(stats)
            .toSorted(([left], [right]) => overallFirst(left, right))
            .map(([name, score]) => (
              <tr key={name}>
                <th scope="row" className="verbatim min-w-32">
                  {scoreLabel(name)}
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
      </table>
    </div>
  );
}
