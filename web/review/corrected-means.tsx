import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { RunComparison } from "../../src/contract/schemas/comparison.ts";
import type { CorrectedMean, Corrections } from "../../src/contract/schemas/judging/human-verdict.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import { fetchCorrections } from "../api/review.ts";
import { reviewPath } from "../parts/address/paths.ts";
import { isEnded } from "../parts/runs/run-facts.ts";
import { scoreLabel } from "../parts/runs/scores.ts";
import { formatEffect, formatInteger, formatScore, formatSentence } from "../parts/text/format.ts";

/** The judge's means beside those that people would give. Nothing for a run without a judge and verdicts. */
export function CorrectedMeans({ run }: { readonly run: Run }) {
  const corrections = useQuery({
    queryKey: ["corrections", run.run_id],
    queryFn: ({ signal }) => fetchCorrections(run.run_id, signal),
    enabled: isEnded(run.state),
    // Older services have no such route: the panel is an addition, so its absence is no failure.
    retry: false,
  });
  const { scores = [], notes = [], label_next = [] } = corrections.data ?? {};
  const next = new Map(label_next.map((entry) => [entry.question, entry.replies]));
  if (scores.length === 0) return null;
  return (
    <section aria-label="Corrected by people" className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4 text-sm">
      <header className="flex flex-wrap items-center gap-3">
        <h2 className="font-semibold">Corrected by people</h2>
        <Link href={reviewPath(run.run_id)} className="button sm:ml-auto">
          Review replies
        </Link>
      </header>
      {scores.some(({ mean }) => mean !== null) && <MeanTable scores={scores.filter(({ mean }) => mean !== null)} />}
      {scores.map(({ score, sentence }) => (
        <p key={score} className="text-soft">
          <span className="font-medium text-ink">{scoreLabel(score)}:</span> {formatSentence(sentence)}{" "}
          <LabelNext runId={run.run_id} question={score} replies={next.get(score) ?? []} />
        </p>
      ))}
      {notes.map((note) => (
        <p key={note} className="text-soft">
          {note}
        </p>
      ))}
    </section>
  );
}

interface LabelNextProps {
  readonly runId: string;
  readonly question: string;
  readonly replies: Corrections["label_next"][number]["replies"];
}

const shownNext = 3;

/** Leads to the review in the same order: replies that are picked one by one correct nothing. */
function LabelNext({ runId, question, replies }: LabelNextProps) {
  if (replies.length === 0) return null;
  const more = replies.length - shownNext;
  return (
    <>
      Label next:{" "}
      <Link href={reviewPath(runId, { question, order: "stratified" })} className="link verbatim">
        {replies
          .slice(0, shownNext)
          .map(({ scenario_id }) => scenario_id)
          .join(", ")}
        {more > 0 && ` and ${formatInteger(more)} more`}
      </Link>
    </>
  );
}

function MeanTable({ scores }: { readonly scores: readonly CorrectedMean[] }) {
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Corrected means">
      <table className="data-table">
        <caption className="sr-only">The judge's mean and the mean that people would give, with 95 % intervals</caption>
        <thead>
          <tr>
            <th scope="col">Score</th>
            <th scope="col" className="number">
              Judge
            </th>
            <th scope="col" className="number">
              People
            </th>
            <th scope="col">95 % interval</th>
            <th scope="col">By error rates</th>
            <th scope="col" className="number">
              Verdicts
            </th>
          </tr>
        </thead>
        <tbody>
          {scores.map((score) => (
            <tr key={score.score}>
              <th scope="row" className="verbatim">
                {scoreLabel(score.score)}
              </th>
              <td className="number">{formatScore(score.raw.mean)}</td>
              <td className="number font-semibold">{formatScore(score.mean)}</td>
              <td className="whitespace-nowrap tabular-nums" title={score.method}>
                {formatScore(score.ci_lower)} to {formatScore(score.ci_upper)}
              </td>
              <td className="whitespace-nowrap tabular-nums">
                {score.misclassification
                  ? `${formatScore(score.misclassification.mean)} (${formatScore(score.misclassification.ci_lower)} to ${formatScore(score.misclassification.ci_upper)})`
                  : "–"}
              </td>
              <td className="number">
                {formatInteger(score.verdicts)} of {formatInteger(score.replies)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The differences of two runs by people's standards, and the way to judge their replies side by side. */
export function CorrectedEffects({ comparison }: { readonly comparison: RunComparison }) {
  const { corrected = [], win_rate, baseline, candidate } = comparison;
  return (
    <section aria-label="Corrected by people" className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4 text-sm">
      <header className="flex flex-wrap items-center gap-3">
        <h2 className="font-semibold">
          {corrected.length > 0 || win_rate ? "Corrected by people" : "People's verdicts"}
        </h2>
        <Link href={reviewPath(candidate.run_id, { against: baseline.run_id })} className="button sm:ml-auto">
          Judge replies side by side
        </Link>
      </header>
      {corrected.map(({ score, effect, ci_lower, ci_upper, sentence }) => (
        <p key={score}>
          <span className="font-medium">{scoreLabel(score)}</span>{" "}
          {effect !== null && (
            <span className="whitespace-nowrap tabular-nums">
              {formatEffect(effect)} [{formatEffect(ci_lower ?? 0)}, {formatEffect(ci_upper ?? 0)}]
            </span>
          )}{" "}
          <span className="text-soft">{formatSentence(sentence)}</span>
        </p>
      ))}
      {win_rate && (
        <p>
          <span className="font-medium">Win rate of the candidate</span>{" "}
          {win_rate.mean !== null && (
            <span className="whitespace-nowrap tabular-nums">
              {formatScore(win_rate.mean)} [{formatScore(win_rate.ci_lower)}, {formatScore(win_rate.ci_upper)}]
            </span>
          )}{" "}
          <span className="text-soft">{formatSentence(win_rate.sentence)}</span>
        </p>
      )}
    </section>
  );
}
