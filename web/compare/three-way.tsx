import { Link } from "wouter";
import type { ChangedInteraction, RunComparison } from "../../src/contract/schemas/comparison.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { formatScore } from "../parts/format.ts";
import { transcriptPath } from "../parts/paths.ts";
import { Skeleton } from "../parts/skeleton.tsx";
import { VerbatimText } from "../parts/verbatim-text.tsx";
import { useScenarioResults } from "../run/use-run.ts";
import { DiffText } from "../transcript/diff-text.tsx";
import { TextPane } from "../parts/text-pane.tsx";
import { useWordDiff } from "../transcript/use-word-diff.ts";
import { findReply, type FoundReply } from "./find-reply.ts";
import { ScoreChanges } from "./score-changes.tsx";

/** Reference, baseline and candidate beside each other; what a reply does not share with the reference is marked. */
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
  // The side that is better on average shows its best attempt, the other one its worst: there the change is to be seen.
  const top = Math.max(change.baseline, change.candidate);
  const before = findReply(baseline.data, change, change.baseline === top ? "highest" : "lowest");
  const after = findReply(candidate.data, change, change.candidate === top ? "highest" : "lowest");
  const reference = after?.turn.reference_reply ?? "";
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 p-4 pt-1 lg:grid-cols-3">
      {reference !== "" && (
        <p className="verbatim text-xs text-soft lg:col-span-3">
          <ins>Marked</ins>: what stands in a reply and not in the reference.
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
    <TextPane title={`${title}, mean ${change.score} ${formatScore(mean)}`}>
      {turn.error || reference === "" ? (
        <VerbatimText text={turn.agent_reply} />
      ) : (
        <Marked reference={reference} reply={turn.agent_reply} />
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

function Marked({ reference, reply }: { reference: string; reply: string }) {
  const diff = useWordDiff(reference, reply);
  if (diff.state === "done" && diff.parts) return <DiffText parts={diff.parts} without="removed" />;
  return <VerbatimText text={reply} />;
}
