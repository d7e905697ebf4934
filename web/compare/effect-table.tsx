import type { RunComparison } from "../../src/contract/schemas/comparison.ts";
import { formatInteger, formatScore, scoreLabel } from "../parts/format.ts";
import { overallFirst } from "../parts/score-order.ts";
import { ForestRow } from "./forest-row.tsx";
import { formatEffect, formatP } from "../parts/format-effect.ts";
import { verdictLooks } from "./verdict-looks.ts";

type Scores = RunComparison["scores"];

/** Every score with its effect and interval, drawn on one scale. */
export function EffectTable({ scores }: { scores: Scores }) {
  const reach = reachOf(scores);
  const ordered = scores.toSorted((left, right) => overallFirst(left.name, right.name));
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Effect by score">
      <table className="data-table card-table">
        <caption className="sr-only">Candidate minus baseline, by score, with 95 % intervals</caption>
        <thead>
          <tr>
            <th scope="col">Score</th>
            <th scope="col" className="number">
              Baseline
            </th>
            <th scope="col" className="number">
              Candidate
            </th>
            <th scope="col" className="number">
              Effect
            </th>
            <th scope="col">95 % interval</th>
            <th scope="col" className="whitespace-normal">
              worse{" "}
              <span aria-hidden>
                ◂ {formatEffect(-reach)} · 0 · {formatEffect(reach)} ▸
              </span>{" "}
              better
            </th>
            <th scope="col" className="number">
              p
            </th>
            <th scope="col" className="number">
              Scenarios
            </th>
            <th scope="col">Verdict</th>
          </tr>
        </thead>
        <tbody>
          {ordered.map((score) => {
            const { icon: Icon, words, className } = verdictLooks[score.verdict];
            return (
              <tr key={score.name} title={score.sentence}>
                <th scope="row" className="verbatim min-w-32">
                  {scoreLabel(score.name)}
                </th>
                <td className="number" data-label="Baseline">
                  {formatScore(score.baseline)}
                </td>
                <td className="number" data-label="Candidate">
                  {formatScore(score.candidate)}
                </td>
                <td className="number font-semibold" data-label="Effect">
                  {formatEffect(score.effect)}
                </td>
                <td className="whitespace-nowrap tabular-nums" data-label="95 % interval" data-wide="">
                  {score.ci_lower === null || score.ci_upper === null ? (
                    <span className="text-soft">none</span>
                  ) : (
                    `${formatEffect(score.ci_lower)} to ${formatEffect(score.ci_upper)}`
                  )}
                </td>
                <td data-label="worse · better" data-wide="">
                  <ForestRow score={score} reach={reach} />
                </td>
                <td className="number whitespace-nowrap" data-label="p" title={score.method}>
                  {formatP(score.p_adjusted)}
                </td>
                <td className="number" data-label="Scenarios" data-wide="" title="better and worse out of all">
                  {`+${formatInteger(score.scenarios_better)} −${formatInteger(score.scenarios_worse)} of ${formatInteger(score.scenarios)}`}
                </td>
                <td className={`whitespace-nowrap ${className}`} data-label="Verdict" data-wide="">
                  <span>
                    <Icon aria-hidden size={14} className="mr-1 inline" />
                    {words}
                  </span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** The furthest any interval reaches, rounded up, so that all rows share one scale. */
function reachOf(scores: Scores): number {
  const ends = scores.flatMap(({ effect, ci_lower, ci_upper }) => [effect, ci_lower ?? 0, ci_upper ?? 0]);
  const furthest = Math.max(0.05, ...ends.map(Math.abs));
  return Math.min(1, Math.ceil(furthest * 20) / 20);
}
