import { scaleLinear } from "@visx/scale";
import { Fragment } from "react";
import { adjustedInterval } from "../../src/base/numbers.ts";
import type { RunComparison } from "../../src/contract/schemas/comparison.ts";
import { formatEffect, formatInteger, formatP, formatScore } from "../parts/text/format.ts";
import { groupScores, scoreLabel } from "../parts/runs/scores.ts";
import { verdictStyles } from "./verdict-banner.tsx";

type EffectScores = RunComparison["scores"];
type EffectScore = EffectScores[number];

/** Every score with its effect and the interval the verdict rests on, plotted on one scale. On a phone, one line per score. */
export function EffectTable({ scores }: { scores: EffectScores }) {
  const reach = reachOf(scores);
  const groups = groupScores(scores, ({ name }) => name);
  const parts = Math.max(...scores.map(({ adjusted_for = 1 }) => adjusted_for));
  return (
    <section aria-label="Effect by score" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div className="overflow-x-auto max-md:hidden" tabIndex={0} role="region" aria-label="Effects">
        <WideTable groups={groups} reach={reach} />
      </div>
      <ul className="panel divide-y divide-line md:hidden">
        {groups.map(({ title, entries }) => (
          <Fragment key={title}>
            {title && <li className="bg-sunken px-3 py-1 text-xs font-semibold text-soft">{title}</li>}
            {entries.map((score) => (
              <li key={score.name}>
                <EffectLine score={score} reach={reach} />
              </li>
            ))}
          </Fragment>
        ))}
      </ul>
      <p className="text-sm text-soft">
        {parts > 1
          ? `Intervals are at 95 %. The verdict rests on one score; p and intervals of the other ${formatInteger(parts)} are corrected for their number.`
          : "Intervals are at 95 %."}
      </p>
    </section>
  );
}

interface WideTableProps {
  readonly groups: ReturnType<typeof groupScores<EffectScore>>;
  readonly reach: number;
}

function WideTable({ groups, reach }: WideTableProps) {
  return (
    <table className="data-table card-table">
      <caption className="sr-only">Candidate minus baseline, by score, with adjusted 95 % intervals</caption>
      <thead>
        <tr>
          <th scope="col">Score</th>
          <th scope="col" className="number">
            Baseline
          </th>
          <th scope="col" className="number">
            Candidate
          </th>
          <th scope="col" className="number whitespace-normal">
            Effect, 95 % interval
          </th>
          <th scope="col" className="xl:w-2/5">
            <ForestAxis reach={reach} />
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
      {groups.map(({ title, entries }) => (
        <tbody key={title}>
          {title && (
            <tr className="score-group">
              <th scope="rowgroup" colSpan={8}>
                {title}
              </th>
            </tr>
          )}
          {entries.map((score) => (
            <tr key={score.name}>
              <th scope="row" className="verbatim min-w-28">
                {scoreLabel(score.name)}
                <AuditMark score={score} />
              </th>
              <td className="number" data-label="Baseline">
                {formatScore(score.baseline)}
              </td>
              <td className="number" data-label="Candidate">
                {formatScore(score.candidate)}
              </td>
              <td className="number" data-label="Effect" data-wide="">
                <span>
                  <span className="font-semibold">{formatEffect(score.effect)}</span>{" "}
                  <span className="block text-xs whitespace-nowrap text-soft">{effectIntervalText(score)}</span>
                </span>
              </td>
              <td data-label="lower · higher" data-wide="">
                <ForestRow score={score} reach={reach} />
              </td>
              <td
                className="number"
                data-label="p"
                title={`${score.method}; p of the score by itself: ${formatP(score.p)}`}
              >
                {formatP(score.p_adjusted)}
              </td>
              <td className="number" data-label="Scenarios" data-wide="">
                <span className="whitespace-nowrap">
                  {changesText(score)}{" "}
                  <span className="block text-xs text-soft">of {formatInteger(score.scenarios)}</span>
                </span>
              </td>
              <td className="whitespace-nowrap" data-label="Verdict" data-wide="">
                <VerdictLabel score={score} />
              </td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

function AuditMark({ score }: { score: EffectScore }) {
  return score.judge_audited === false && <span className="text-xs font-normal text-warn"> judge not audited</span>;
}

function VerdictLabel({ score }: { score: EffectScore }) {
  const { icon: Icon, label, className } = verdictStyles[score.verdict];
  return (
    <span className={`whitespace-nowrap ${className}`}>
      <Icon aria-hidden size={14} className="mr-1 inline" />
      {label}
    </span>
  );
}

/** One line per score; it expands to the rest. */
function EffectLine({ score, reach }: { score: EffectScore; reach: number }) {
  return (
    <details>
      <summary className="grid grid-cols-[minmax(0,1fr)_auto_8.5rem] items-baseline gap-x-2 px-3 py-2 text-sm">
        <span className="verbatim truncate font-medium">
          {scoreLabel(score.name)}
          <AuditMark score={score} />
        </span>
        <span className="font-semibold tabular-nums">{formatEffect(score.effect)}</span>
        <VerdictLabel score={score} />
      </summary>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 px-3 pb-3 text-sm tabular-nums">
        <dt className="text-soft">Means</dt>
        <dd>
          {formatScore(score.baseline)} → {formatScore(score.candidate)}
        </dd>
        <dt className="text-soft">95 % interval</dt>
        <dd>{effectIntervalText(score)}</dd>
        <dt className="text-soft">p</dt>
        <dd>{formatP(score.p_adjusted)}</dd>
        <dt className="text-soft">Scenarios</dt>
        <dd>
          {changesText(score)} of {formatInteger(score.scenarios)}
        </dd>
        <dd className="col-span-2">
          <ForestRow score={score} reach={reach} />
        </dd>
      </dl>
    </details>
  );
}

function effectIntervalText(score: EffectScore): string {
  const { ci_lower: lower, ci_upper: upper } = adjustedInterval(score);
  return lower === null || upper === null ? "no interval" : `${formatEffect(lower)} to ${formatEffect(upper)}`;
}

const changesText = ({ scenarios_better, scenarios_worse }: EffectScore): string =>
  `+${formatInteger(scenarios_better)} −${formatInteger(scenarios_worse)}`;

/** The widest interval end, rounded up: the common scale of all rows. */
function reachOf(scores: EffectScores): number {
  const ends = scores.flatMap((score) => {
    const { ci_lower, ci_upper } = adjustedInterval(score);
    return [score.effect, ci_lower ?? 0, ci_upper ?? 0];
  });
  const furthest = Math.max(0.05, ...ends.map(Math.abs));
  return Math.min(1, Math.ceil(furthest * 20) / 20);
}

/** The ends and the middle of the scale, above the plots. */
function ForestAxis({ reach }: { reach: number }) {
  return (
    <span className="grid grid-cols-3 font-normal tabular-nums">
      <span>{formatEffect(-reach)} lower</span>
      <span className="text-center">0</span>
      <span className="text-right">higher {formatEffect(reach)}</span>
    </span>
  );
}

const height = 24;

interface ForestRowProps {
  readonly score: EffectScore;
  readonly reach: number;
}

/** The effect as a dot and its interval as a line, as wide as its cell. */
function ForestRow({ score, reach }: ForestRowProps) {
  const scale = scaleLinear<number>({ domain: [-reach, reach], range: [2, 98], clamp: true });
  const x = (value: number): string => `${scale(value)}%`;
  const middle = height / 2;
  const tone = { better: "good", worse: "bad" }[score.verdict as "better" | "worse"] ?? "soft";
  const { ci_lower: lower, ci_upper: upper } = adjustedInterval(score);
  return (
    <svg aria-hidden width="100%" height={height} className={`block min-w-24 tone-${tone}`}>
      <line x1={x(-reach)} x2={x(reach)} y1={middle} y2={middle} className="stroke-line" />
      {[-reach, -reach / 2, reach / 2, reach].map((tick) => (
        <line key={tick} x1={x(tick)} x2={x(tick)} y1={middle - 3} y2={middle + 3} className="stroke-line" />
      ))}
      <line x1={x(0)} x2={x(0)} y1={0} y2={height} className="stroke-line-strong" />
      {lower !== null && upper !== null && (
        <line
          x1={x(lower)}
          x2={x(upper)}
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
