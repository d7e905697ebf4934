import { Link } from "wouter";
import type { RankedRun, RunRanking } from "../../src/contract/schemas/comparison.ts";
import { withRange } from "../../src/base/numbers.ts";
import { DemoBadge } from "../parts/demo-badge.tsx";
import { formatDuration, formatInteger, formatMoney, formatScore, scoreLabel } from "../parts/format.ts";
import { formatEffect, formatP } from "../parts/format-effect.ts";
import { comparePath, runPath } from "../parts/paths.ts";
import { runName } from "../parts/run-name.ts";
import { useModelName } from "../parts/use-model-name.ts";

const places: Record<RankedRun["place"], { words: string; className: string }> = {
  best: { words: "best", className: "text-good" },
  may_be_best: { words: "may be best", className: "text-soft" },
  behind: { words: "behind", className: "text-bad" },
};

/** The runs, best first, with what each of them costs. */
export function RankTable({ ranking }: { ranking: RunRanking }) {
  const { runs, score, scenarios } = ranking;
  const nameOf = useModelName();
  const [first] = runs;
  const priced = runs.some((run) => run.cost_per_1000_turns !== null);
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Runs by score">
      <table className="data-table card-table">
        <caption className="sr-only">
          Runs by {scoreLabel(score)} over {formatInteger(scenarios)} shared scenarios, with 95 % intervals
        </caption>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">{scoreLabel(score)}</th>
            <th scope="col">To the first</th>
            <th scope="col" className="number">
              p
            </th>
            <th scope="col" className="number">
              No reply
            </th>
            {priced && (
              <th scope="col" className="number">
                Cost per 1,000
              </th>
            )}
            <th scope="col" className="number">
              Median time
            </th>
            <th scope="col">Place</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.run_id}>
              <th scope="row" className="verbatim min-w-32">
                <Link href={runPath(run.run_id)} className="link">
                  {nameOf(run.model_id)}
                </Link>{" "}
                <span className="block text-xs font-normal text-soft">
                  {runName(run)} {run.demo && <DemoBadge short />}
                </span>
              </th>
              <td className="whitespace-nowrap tabular-nums" data-label={scoreLabel(score)} data-wide="">
                {withRange(formatScore(run.mean), run, formatScore)}
              </td>
              <td className="whitespace-nowrap tabular-nums" data-label="To the first" data-wide="">
                {run.to_first && first && (
                  <Link
                    href={comparePath({ baseline: first.run_id, candidate: run.run_id })}
                    className="link"
                    title="Compare the two"
                  >
                    {withRange(formatEffect(run.to_first.effect), run.to_first, formatEffect)}
                  </Link>
                )}
              </td>
              <td className="number" data-label="p">
                {run.to_first && formatP(run.to_first.p_adjusted)}
              </td>
              <td className="number" data-label="No reply">
                {formatInteger(run.failed)}
              </td>
              {priced && (
                <td className="number" data-label="Cost per 1,000">
                  {run.cost_per_1000_turns === null ? "–" : formatMoney(run.cost_per_1000_turns)}
                </td>
              )}
              <td className="number" data-label="Median time">
                {formatDuration(run.latency_ms)}
              </td>
              <td className={`whitespace-nowrap ${places[run.place].className}`} data-label="Place">
                {places[run.place].words}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
