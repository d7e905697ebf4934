import { useMemo } from "react";
import type { EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";
import type { Run } from "../../../src/contract/schemas/run.ts";
import type {
  Breakdown,
  Drift,
  DriftGap,
  LabelMetrics,
  ScoreSlice,
} from "../../../src/contract/schemas/scores/score.ts";
import { ConfusionMatrix } from "../../parts/runs/confusion-matrix.tsx";
import {
  formatEffect,
  formatInteger,
  formatKappa,
  formatPercent,
  formatSample,
  formatScore,
  formatSentence,
} from "../../parts/text/format.ts";
import { scoreLabel } from "../../parts/runs/scores.ts";
import { isEnded } from "../../parts/runs/run-facts.ts";
import { hasDeferredScores } from "../key-figures.tsx";
import { DigestView } from "./digest-view.tsx";
import { PeopleAgreement } from "./people-agreement.tsx";
import { ScoreTable } from "./score-table.tsx";
import { UnscoredCauses } from "./turn-causes.tsx";

/** The scores tab: every score, drift, breakdown and labels. */
export default function ScorePanel({ run, results }: { run: Run; results: EvaluationResponse | undefined }) {
  const averages = useMemo(() => attemptAverages(results), [results]);
  const summary = run.summary ?? results?.summary;
  if (!summary || Object.keys(summary.score_stats).length === 0) {
    return <p className="panel p-4 text-soft">{noScoresText(run)}</p>;
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <DigestView run={run} results={results}>
        {(digest) => (
          <>
            {digest && <UnscoredCauses runId={run.run_id} digest={digest} />}
            <ScoreTable
              stats={summary.score_stats}
              bins={digest?.bins ?? null}
              averages={averages}
              unaudited={summary.unaudited_scores ?? []}
            />
          </>
        )}
      </DigestView>
      {isEnded(run.state) && <PeopleAgreement run={run} />}
      {summary.drift && <DriftPanel drift={summary.drift} />}
      {summary.breakdown && <BreakdownPanel breakdown={summary.breakdown} />}
      <LabelTable metrics={summary.label_metrics} />
    </div>
  );
}

function noScoresText(run: Run): string {
  if (hasDeferredScores(run)) return "Scores for large runs appear when the run finishes.";
  return isEnded(run.state) ? "No scores available." : "No scores yet.";
}

/** More marks than this blur into one on the plot. */
const maxAttemptMarks = 400;

/** Per score, the average of each attempt, to be plotted one by one; empty if there are too many. */
function attemptAverages(results: EvaluationResponse | undefined): ReadonlyMap<string, readonly number[]> {
  const attempts = results?.results.scenarios.flatMap((scenario) => scenario.attempts) ?? [];
  const values = new Map<string, number[]>();
  if (attempts.length > maxAttemptMarks) return values;
  for (const { average_scores } of attempts) {
    for (const [name, value] of Object.entries(average_scores)) {
      const known = values.get(name);
      if (known) known.push(value);
      else values.set(name, [value]);
    }
  }
  return values;
}

/** Scores with the model's own replies as history against scores with the reference replies as history. */
function DriftPanel({ drift }: { drift: Drift }) {
  const turns = drift.by_turn.map((gaps) => gaps["overall"]);
  return (
    <section aria-label="Drift" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h2 className="text-base font-semibold">Drift: own replies vs. reference history</h2>
      <p className="verbatim">{formatSentence(drift.sentence)}</p>
      <p className="text-soft">Here each turn has equal weight; in the run's scores, each scenario has.</p>
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Drift by score and turn">
        <table className="data-table w-auto!">
          <thead>
            <tr>
              <th scope="col">Score</th>
              <th scope="col" className="number">
                Own replies
              </th>
              <th scope="col" className="number">
                Reference
              </th>
              <th scope="col" className="number">
                Gap
              </th>
              <th scope="col" className="number">
                95 % interval
              </th>
              <th scope="col" className="number">
                n
              </th>
            </tr>
          </thead>
          <tbody>
            {[
              ...Object.entries(drift.scores).map(([name, gap]) => ({ label: scoreLabel(name), gap })),
              ...turns.flatMap((gap, index) => (gap ? [{ label: `overall, turn ${index + 1}`, gap }] : [])),
            ].map(({ label, gap }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td className="number">{formatScore(gap.generated)}</td>
                <td className="number">{formatScore(gap.reference)}</td>
                <td className="number font-semibold">{gap.gap === null ? "–" : formatEffect(gap.gap)}</td>
                <td className="number">{formatInterval(gap)}</td>
                <td className="number">{formatInteger(gap.n)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function formatInterval({ ci_lower: lower, ci_upper: upper }: DriftGap): string {
  return typeof lower === "number" && typeof upper === "number"
    ? `${formatEffect(lower)} to ${formatEffect(upper)}`
    : "–";
}

/** Scores by turn number, by turn type and by tag. */
function BreakdownPanel({ breakdown }: { breakdown: Breakdown }) {
  const groups = [
    { title: "Turn", slices: breakdown.turn_index.map((slice, index) => ({ name: `turn ${index + 1}`, slice })) },
    { title: "Type", slices: toSlices(breakdown.interaction_type) },
    { title: "Tag", slices: toSlices(breakdown.tag) },
  ].filter((group) => group.slices.length > 0);
  if (groups.length === 0) return null;
  return (
    <section aria-label="Breakdown" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h2 className="text-base font-semibold">Breakdown</h2>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
        {groups.map((group) => (
          <SliceTable key={group.title} {...group} />
        ))}
      </div>
    </section>
  );
}

const toSlices = (slices: Readonly<Record<string, ScoreSlice>>) =>
  Object.entries(slices).map(([name, slice]) => ({ name, slice }));

const breakdownScores = ["overall", "success", "metadata_match"];

function SliceTable({ title, slices }: { title: string; slices: readonly { name: string; slice: ScoreSlice }[] }) {
  const scores = breakdownScores.filter((name) => slices.some(({ slice }) => slice.average_scores[name] !== undefined));
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={`Scores by ${title.toLowerCase()}`}>
      <table className="data-table">
        <thead>
          <tr>
            <th scope="col">{title}</th>
            {scores.map((name) => (
              <th key={name} scope="col" className="number">
                {scoreLabel(name)}
              </th>
            ))}
            <th scope="col" className="number">
              n
            </th>
          </tr>
        </thead>
        <tbody>
          {slices.map(({ name, slice }) => (
            <tr key={name}>
              <th scope="row" className="verbatim min-w-20">
                {name}
              </th>
              {scores.map((score) => (
                <td key={score} className="number">
                  {formatScore(slice.average_scores[score])}
                </td>
              ))}
              <td className="number">{formatInteger(slice.n)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Agreement of generated with expected labels, key by key. */
function LabelTable({ metrics }: { metrics: Readonly<Record<string, LabelMetrics>> }) {
  const entries = Object.entries(metrics);
  if (entries.length === 0) return null;
  return (
    <section aria-label="Labels" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h2 className="text-base font-semibold">Labels</h2>
      {entries.map(([key, metric]) => (
        <div key={key} className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4">
          <h3 className="verbatim font-medium">{key}</h3>
          {metric.n === 0 ? (
            <p className="text-sm">No reply could be labelled.</p>
          ) : (
            <p className="flex flex-wrap gap-x-5 gap-y-1 text-sm tabular-nums">
              <span>{formatPercent(metric.accuracy)} correct</span>
              <span>macro F1 {formatScore(metric.macro_f1)}</span>
              <Kappa metric={metric} />
              <span className="text-soft">{formatSample(metric.n)}</span>
            </p>
          )}
          <ConfusionMatrix name={key} confusion={metric.confusion} />
        </div>
      ))}
    </section>
  );
}

/** Agreement beyond chance: −1 to 1. */
function Kappa({
  metric: { kappa, kappa_ci_lower: lower, kappa_ci_upper: upper, kappa_method },
}: {
  metric: LabelMetrics;
}) {
  const interval = typeof lower === "number" && typeof upper === "number";
  return (
    <span title={kappa_method}>
      kappa {kappa === null ? "–" : formatKappa(kappa)}{" "}
      <span className="text-soft">{interval ? `[${formatKappa(lower)}, ${formatKappa(upper)}]` : "no interval"}</span>
    </span>
  );
}
