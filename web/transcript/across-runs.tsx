import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import { fetchRuns } from "../api/runs.ts";
import { transcriptPath } from "../parts/address/paths.ts";
import { changeSearch } from "../parts/address/search-state.ts";
import { useModelName } from "../parts/runs/model-names.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { Skeleton } from "../parts/screen/screen.tsx";
import { formatScore } from "../parts/text/format.ts";
import { VerbatimText } from "../parts/text/verbatim-text.tsx";
import { RunDate } from "../run/run-date.tsx";
import { useScenarioResults } from "../run/use-run.ts";
import { MarkedReply } from "./diff-text.tsx";
import { pickOtherRuns, replyOfRun } from "./other-runs.ts";
import { OutcomeBadge } from "./outcome-badge.tsx";
import { CallLines } from "./tool-calls.tsx";

interface AcrossRunsProps {
  readonly run: Run;
  readonly scenarioId: string;
  readonly turn: InteractionResult;
  readonly attempt: number;
  readonly open: boolean;
}

/** The replies of other runs of the same test to this turn, beside this one. They are loaded when asked for. */
export function AcrossRuns({ run, scenarioId, turn, attempt, open }: AcrossRunsProps) {
  return (
    <details
      open={open}
      onToggle={(event) => {
        if (event.currentTarget.open !== open) changeSearch({ beside: open ? null : String(turn.turn_index + 1) });
      }}
    >
      <summary className="text-sm text-soft">Same turn in other runs</summary>
      {open && <OtherRuns run={run} scenarioId={scenarioId} turn={turn} attempt={attempt} />}
    </details>
  );
}

function OtherRuns({ run, scenarioId, turn, attempt }: Omit<AcrossRunsProps, "open">) {
  const list = useQuery({
    queryKey: ["runs of test", run.test_name],
    queryFn: ({ signal }) => fetchRuns({ test_name: run.test_name, limit: "100" }, signal),
  });
  if (list.isError) return <FailedNotice error={list.error} onRetry={() => void list.refetch()} />;
  if (!list.data) return <Skeleton rows={3} label="Loading the other runs" />;
  const others = pickOtherRuns(list.data.runs, run);
  if (others.length === 0) return <p className="mt-2 text-sm text-soft">This test has no other finished runs.</p>;
  return (
    <RepliesOfRuns
      runs={[run, ...others]}
      current={run.run_id}
      scenarioId={scenarioId}
      turnId={turn.id}
      attempt={attempt}
    />
  );
}

/** The parts of a run that the head of its column shows. */
type ColumnRun = Pick<Run, "run_id" | "model_id">;

interface RepliesOfRunsProps {
  readonly runs: readonly ColumnRun[];
  /** The run whose transcript is open. */
  readonly current?: string;
  readonly scenarioId: string;
  readonly turnId: string;
  readonly attempt: number;
}

/** The reply of each run to one turn, side by side; on a narrow screen one below the other. */
export function RepliesOfRuns({ runs, current, ...wanted }: RepliesOfRunsProps) {
  return (
    <ol
      aria-label="Replies by run"
      className="mt-2 grid gap-2 md:auto-cols-[minmax(12rem,1fr)] md:grid-flow-col md:overflow-x-auto"
      tabIndex={0}
    >
      {runs.map((run) => (
        <li
          key={run.run_id}
          className={`grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-1 rounded-md border p-2 text-sm ${run.run_id === current ? "border-accent" : "border-line"}`}
        >
          <RunReply run={run} isCurrent={run.run_id === current} {...wanted} />
        </li>
      ))}
    </ol>
  );
}

interface RunReplyProps extends Pick<RepliesOfRunsProps, "scenarioId" | "turnId" | "attempt"> {
  readonly run: ColumnRun;
  readonly isCurrent: boolean;
}

function RunReply({ run, isCurrent, scenarioId, turnId, attempt }: RunReplyProps) {
  const nameOf = useModelName();
  const results = useScenarioResults(run.run_id, scenarioId);
  const reply = results.data && replyOfRun(results.data, { scenarioId, turnId, attempt });
  return (
    <>
      <span className="flex flex-wrap items-baseline gap-x-2 text-xs text-soft">
        <span className="mono font-medium break-all text-ink">{nameOf(run.model_id)}</span>
        {isCurrent ? "this run" : <RunDate runId={run.run_id} />}
      </span>
      {results.isError && <FailedNotice error={results.error} onRetry={() => void results.refetch()} />}
      {results.isPending && <Skeleton rows={2} label="Loading the reply" />}
      {reply === null && <p className="text-soft">This run does not have this turn.</p>}
      {reply && (
        <>
          <span className="flex flex-wrap items-center gap-x-3 text-xs text-soft">
            <OutcomeBadge outcome={reply.outcome} />
            <span className="tabular-nums">
              overall {formatScore(reply.overall)}
              {reply.attempts > 1 && `, attempt ${reply.attempt} of ${reply.attempts}`}
            </span>
          </span>
          <CallLines turn={reply.turn} />
          {reply.turn.error || reply.turn.reference_reply === "" ? (
            <VerbatimText text={reply.turn.agent_reply} />
          ) : (
            <MarkedReply reference={reply.turn.reference_reply} reply={reply.turn.agent_reply} />
          )}
          {!isCurrent && (
            <Link
              href={transcriptPath({
                runId: run.run_id,
                scenarioId,
                attempt: reply.attempt,
                turn: reply.turn.turn_index,
              })}
              className="link text-xs"
            >
              Open this attempt
            </Link>
          )}
        </>
      )}
    </>
  );
}
