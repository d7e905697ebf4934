import { compact } from "../../src/base/compact.ts";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { Agreement, ReviewQuestion, VerdictConflict } from "../../src/contract/schemas/judging/human-verdict.ts";
import { fetchAgreement, sendVerdicts } from "../api/review.ts";
import { fetchScenarioResults } from "../api/runs.ts";
import { transcriptPath } from "../parts/address/paths.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { Skeleton } from "../parts/screen/screen.tsx";
import { formatInteger, formatKappa, formatScore, formatSentence } from "../parts/text/format.ts";
import { TextPane, VerbatimText } from "../parts/text/verbatim-text.tsx";

interface AgreementPanelProps {
  readonly runId: string;
  readonly question: ReviewQuestion;
  readonly against: string;
  readonly rater: string;
  readonly onDecided: () => void;
}

/** How far people agree, each person's progress, and the conflicts to decide. */
export function AgreementPanel({ runId, question, against, rater, onDecided }: AgreementPanelProps) {
  const agreement = useQuery({
    queryKey: ["agreement", runId, question.name, against],
    queryFn: ({ signal }) => fetchAgreement(runId, { question: against === "" ? question.name : "", against }, signal),
  });
  if (agreement.isError) return <FailedNotice error={agreement.error} onRetry={() => void agreement.refetch()} />;
  if (!agreement.data) return <Skeleton rows={6} label="Measuring agreement" />;
  const { sentence, raters, conflicts } = agreement.data;
  return (
    <>
      <section aria-label="Agreement" className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4 text-sm">
        <p className="font-semibold">{formatSentence(sentence)}</p>
        <PeopleMean people={agreement.data.people} isPair={question.scope === "pair"} />
        {raters.length > 0 && <Coefficients agreement={agreement.data} />}
      </section>
      <section aria-label="Conflicts" className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <h2 className="text-sm font-semibold">Conflicts</h2>
        {conflicts.length === 0 && <p className="panel p-4 text-sm text-soft">No reply has verdicts that differ.</p>}
        {conflicts.map((conflict) => (
          <Conflict
            key={JSON.stringify([conflict.scenario_id, conflict.attempt, conflict.turn_index])}
            conflict={conflict}
            {...{ runId, question, against, rater }}
            onDecided={() => {
              void agreement.refetch();
              onDecided();
            }}
          />
        ))}
      </section>
    </>
  );
}

function PeopleMean({ people, isPair }: { readonly people: Agreement["people"]; readonly isPair: boolean }) {
  const { mean, ci_lower, ci_upper } = people;
  if (mean === null) return null;
  return (
    <p className="tabular-nums">
      {isPair ? "People prefer the candidate with a win rate of" : "People's mean on random replies:"}{" "}
      <span className="font-semibold">{formatScore(mean)}</span> (95 % interval {formatScore(ci_lower)} to{" "}
      {formatScore(ci_upper)})
    </p>
  );
}

function Coefficients({ agreement }: { readonly agreement: Agreement }) {
  const { alpha, fleiss, pairs, judge, raters } = agreement;
  const rows: readonly (readonly [string, Agreement["fleiss"]])[] = [
    ["Krippendorff's alpha, nominal", alpha.nominal],
    ["Krippendorff's alpha, ordinal", alpha.ordinal],
    ["Krippendorff's alpha, interval", alpha.interval],
    ["Fleiss' kappa", fleiss],
    ...pairs.map((pair) => [`Cohen's kappa: ${pair.raters.join(" and ")}`, pair.kappa] as const),
    ...(judge ? [["Cohen's kappa: judge and people", judge] as const] : []),
  ];
  const measured = rows.filter(([, { replies }]) => replies > 0);
  return (
    <>
      {measured.length > 0 && (
        <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Coefficients">
          <table className="data-table">
            <caption className="sr-only">Agreement beyond chance with its 95 % interval over scenarios</caption>
            <thead>
              <tr>
                <th scope="col">Agreement beyond chance</th>
                <th scope="col" className="number">
                  Value
                </th>
                <th scope="col">95 % interval</th>
                <th scope="col" className="number">
                  Replies
                </th>
              </tr>
            </thead>
            <tbody>
              {measured.map(([name, { value, ci_lower, ci_upper, method, replies }]) => (
                <tr key={name}>
                  <th scope="row" className="verbatim">
                    {name}
                  </th>
                  <td className="number font-semibold">{value === null ? "–" : formatKappa(value)}</td>
                  <td className="tabular-nums">
                    {ci_lower === null || ci_upper === null
                      ? method
                      : `${formatKappa(ci_lower)} to ${formatKappa(ci_upper)}`}
                  </td>
                  <td className="number">{formatInteger(replies)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <ul aria-label="Verdicts by person" className="flex flex-wrap gap-x-4 gap-y-1 text-soft">
        {raters.map(({ rater, verdicts }) => (
          <li key={rater} className="tabular-nums">
            <span className="verbatim text-ink">{rater}</span> {formatInteger(verdicts)}
          </li>
        ))}
      </ul>
    </>
  );
}

interface ConflictProps extends AgreementPanelProps {
  readonly conflict: VerdictConflict;
}

/** The verdicts of each person on one reply. The decision counts instead of them. */
function Conflict({ conflict, runId, question, against, rater, onDecided }: ConflictProps) {
  const { scenario_id, attempt, turn_index, verdicts, adjudicated } = conflict;
  const [open, setOpen] = useState(false);
  const decide = useMutation({
    mutationFn: (choice: string) => {
      const place = compact({
        scenario_id,
        attempt,
        turn_index,
        question: question.name,
        against: against !== "" ? against : undefined,
      });
      return sendVerdicts(runId, { rater, sampling: "picked", verdicts: [{ ...place, choice, adjudication: true }] });
    },
    onSuccess: onDecided,
  });
  return (
    <article
      aria-label={`Conflict on ${scenario_id}`}
      className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4 text-sm"
    >
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h3 className="verbatim font-semibold">
          <Link href={transcriptPath({ runId, scenarioId: scenario_id, attempt, turn: turn_index })} className="link">
            {scenario_id}
          </Link>
        </h3>
        <span className="text-soft tabular-nums">
          attempt {formatInteger(attempt)}, turn {formatInteger(turn_index + 1)}
        </span>
        {adjudicated !== null && <span className="verbatim text-good">decided: {adjudicated}</span>}
      </header>
      <ul className="grid gap-1">
        {verdicts.map((verdict) => (
          <li key={verdict.rater} className="verbatim">
            <span className="text-soft">{verdict.rater}:</span> <span className="font-medium">{verdict.choice}</span>
            {verdict.comment !== undefined && <> – {verdict.comment}</>}
          </li>
        ))}
      </ul>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="text-soft">Show the reply</summary>
        {open && <ConflictReply runId={runId} conflict={conflict} />}
      </details>
      <div role="group" aria-label="Decision" className="flex flex-wrap items-center gap-2">
        <span className="text-soft">Decide:</span>
        {Object.keys(question.choices).map((choice) => (
          <button
            key={choice}
            type="button"
            aria-pressed={choice === adjudicated}
            aria-disabled={decide.isPending}
            className="button verbatim aria-pressed:border-accent aria-pressed:bg-accent-ground aria-pressed:font-semibold"
            onClick={() => decide.isPending || decide.mutate(choice)}
          >
            {choice}
          </button>
        ))}
      </div>
      {decide.error && <FailedNotice error={decide.error} />}
    </article>
  );
}

function ConflictReply({ runId, conflict }: { readonly runId: string; readonly conflict: VerdictConflict }) {
  const { scenario_id, attempt, turn_index } = conflict;
  const results = useQuery({
    queryKey: ["results", runId, "scenario", scenario_id],
    queryFn: ({ signal }) => fetchScenarioResults(runId, scenario_id, signal),
    staleTime: Infinity,
  });
  if (results.isError) return <FailedNotice error={results.error} onRetry={() => void results.refetch()} />;
  if (!results.data) return <Skeleton rows={3} label="Loading the reply" />;
  const scenario = results.data.results.scenarios.find((found) => found.scenario_id === scenario_id);
  const turns = scenario?.attempts.find((found) => found.attempt === attempt)?.interactions ?? [];
  return (
    <div className="mt-2 grid grid-cols-[minmax(0,1fr)] gap-3">
      {turns.slice(0, turn_index + 1).map((turn) => (
        <div key={turn.turn_index} className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <TextPane title="User">
            <VerbatimText text={turn.user_message} />
          </TextPane>
          {turn.turn_index === turn_index && turn.reference_reply !== "" && (
            <TextPane title="Reference">
              <VerbatimText text={turn.reference_reply} />
            </TextPane>
          )}
          <TextPane title="Reply">
            <VerbatimText text={turn.agent_reply} />
          </TextPane>
        </div>
      ))}
    </div>
  );
}
