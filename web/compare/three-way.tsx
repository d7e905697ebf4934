import { Link } from "wouter";
import type { ChangedInteraction, RunComparison } from "../../src/contract/schemas/comparison.ts";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { formatEffect, formatScore } from "../parts/text/format.ts";
import { rubricsByScore, scoreLabel } from "../parts/runs/scores.ts";
import { transcriptPath } from "../parts/address/paths.ts";
import { Skeleton } from "../parts/screen/screen.tsx";
import { TextPane, VerbatimText } from "../parts/text/verbatim-text.tsx";
import { useScenarioResults } from "../run/use-run.ts";
import { MarkedReply } from "../transcript/diff-text.tsx";
import { CallLines } from "../transcript/tool-calls.tsx";
import { changeDirection, changeStyles, findReply, repliesTo, type FoundReply } from "./changes.ts";

/** Reference, baseline and candidate side by side; words not in the reference are highlighted. */
export function ThreeWay({ change, comparison }: { change: ChangedInteraction; comparison: RunComparison }) {
  const baseline = useScenarioResults(comparison.baseline.run_id, change.scenario_id);
  const candidate = useScenarioResults(comparison.candidate.run_id, change.scenario_id);
  const error = baseline.error ?? candidate.error;
  if (error) return <FailedNotice error={error} />;
  if (!baseline.data || !candidate.data) {
    return (
      <div className="p-4">
        <Skeleton rows={3} label="Loading the replies" />
      </div>
    );
  }
  // The better side shows its best attempt, the other its worst: that makes the change visible.
  const top = Math.max(change.baseline, change.candidate);
  const before = findReply(baseline.data, change, change.baseline === top ? "highest" : "lowest");
  const after = findReply(candidate.data, change, change.candidate === top ? "highest" : "lowest");
  const reference = after?.turn.reference_reply ?? "";
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 p-4 pt-1 lg:grid-cols-3">
      {reference !== "" && (
        <p className="verbatim text-xs text-soft lg:col-span-3">
          <ins>Highlighted</ins>: words not in the reference.
        </p>
      )}
      <TextPane title="Reference">
        {reference === "" ? <p className="text-soft italic">(none)</p> : <VerbatimText text={reference} />}
      </TextPane>
      <Reply
        title="Baseline"
        run={comparison.baseline}
        found={before}
        change={change}
        mean={change.baseline}
        reference={reference}
      />
      <Reply
        title="Candidate"
        run={comparison.candidate}
        found={after}
        change={change}
        mean={change.candidate}
        reference={reference}
      />
      <ScoreChanges
        change={change}
        baseline={{ name: "baseline", results: baseline.data, shown: before }}
        candidate={{ name: "candidate", results: candidate.data, shown: after }}
      />
    </div>
  );
}

interface ReplyProps {
  readonly title: string;
  readonly run: RunComparison["baseline"];
  readonly found: FoundReply | null;
  readonly change: ChangedInteraction;
  readonly mean: number;
  readonly reference: string;
}

function Reply({ title, run, found, change, mean, reference }: ReplyProps) {
  if (!found) return <TextPane title={title}>(not stored)</TextPane>;
  const { turn, attempt, attempts, pick } = found;
  return (
    <TextPane title={`${title}, mean ${scoreLabel(change.score)} ${formatScore(mean)}`}>
      <CallLines turn={turn} />
      {turn.error || reference === "" ? (
        <VerbatimText text={turn.agent_reply} />
      ) : (
        <MarkedReply reference={reference} reply={turn.agent_reply} />
      )}
      <p className="text-xs text-soft">
        <Link
          href={transcriptPath({ runId: run.run_id, scenarioId: change.scenario_id, attempt, turn: turn.turn_index })}
          className="link"
        >
          Attempt {attempt} of {attempts}
        </Link>
        {attempts > 1 && `, its ${pick}: ${formatScore(turn.scores[change.score])}`}
      </p>
    </TextPane>
  );
}

interface Side {
  readonly name: "baseline" | "candidate";
  readonly results: EvaluationResponse;
  /** The displayed reply; its reasons are listed. */
  readonly shown: FoundReply | null;
}

interface ScoreChangesProps {
  readonly change: ChangedInteraction;
  readonly baseline: Side;
  readonly candidate: Side;
}

/** The scores behind a changed turn, largest loss first, with the reason for the lower one. */
function ScoreChanges({ change, baseline, candidate }: ScoreChangesProps) {
  const before = runMeans(baseline.results, change);
  const after = runMeans(candidate.results, change);
  const changes = [...after]
    .flatMap(([name, value]) => {
      const earlier = before.get(name);
      return earlier === undefined ? [] : [{ name, earlier, value, difference: value - earlier }];
    })
    .filter((entry) => entry.name !== change.score && changeDirection(entry) !== "alike")
    .toSorted((left, right) => left.difference - right.difference);
  if (changes.length === 0) return null;
  const questions = rubricsByScore(candidate.shown?.turn.checks);
  return (
    <ul aria-label="Scores that changed" className="grid gap-1 text-sm lg:col-span-3">
      {changes.map(({ name, earlier, value, difference }) => {
        const { mark, className } = changeStyles[changeDirection({ difference })];
        const lower = difference < 0 ? candidate : baseline;
        const reason = lower.shown?.turn.score_reasons[name];
        return (
          <li key={name} className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-x-3">
            <span className={`tabular-nums ${className}`}>
              {mark} {formatEffect(difference)}
            </span>
            <span className="verbatim min-w-0">
              <span className="font-medium">{scoreLabel(name)}</span>
              {questions.has(name) && (
                <span>
                  {" "}
                  <q>{questions.get(name)}</q>
                </span>
              )}{" "}
              <span className="tabular-nums">
                {formatScore(earlier)} → {formatScore(value)}
              </span>
              {reason && (
                <span className="text-soft">
                  {" "}
                  {lower.name}: {reason}
                </span>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** The mean of each score over the attempts that have it. */
function runMeans(results: EvaluationResponse, change: ChangedInteraction): ReadonlyMap<string, number> {
  const values = Map.groupBy(
    repliesTo(results, change).flatMap(({ turn }) => Object.entries(turn.scores)),
    ([name]) => name,
  );
  return new Map(
    [...values].map(([name, entries]) => [name, entries.reduce((sum, [, value]) => sum + value, 0) / entries.length]),
  );
}
