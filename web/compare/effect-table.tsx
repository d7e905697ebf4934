import { scaleLinear } from "@visx/scale";
import type { RunComparison } from "../../src/contract/schemas/comparison.ts";
import { formatEffect, formatP } from "../parts/text/format.ts";
import { formatInteger, formatScore } from "../parts/text/format.ts";
import { scoreLabel } from "../parts/runs/scores.ts";
import { compareScoreNames } from "../parts/runs/scores.ts";
import { verdictStyles } from "./verdict-banner.tsx";

type Scores = RunComparison["scores"];

/** Every score with its effect and interval, plotted on one scale. */
export function EffectTable({ scores }: { scores: Scores }) {
  const reach = reachOf(scores);
  const ordered = scores.toSorted((left, right) => compareScoreNames(left.name, right.name));
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
            const { icon: Icon, label, className } = verdictStyles[score.verdict];
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
                    {label}
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

/** The widest interval end, rounded up: the common scale of all rows. */
function reachOf(scores: Scores): number {
  const ends = scores.flatMap(({ effect, ci_lower, ci_upper }) => [effect, ci_lower ?? 0, ci_upper ?? 0]);
  const furthest = Math.max(0.05, ...ends.map(Math.abs));
  return Math.min(1, Math.ceil(furthest * 20) / 20);
}

const width = 144;
const height = 20;

interface ForestRowProps {
  readonly score: RunComparison["scores"][number];
  readonly reach: number;
}

/** The effect as a dot and its interval as a line. */
function ForestRow({ score, reach }: ForestRowProps) {
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
