import { memo } from "react";
import { Link } from "wouter";
import type { Run } from "../../src/contract/run.ts";
import { DemoBadge } from "../parts/demo-badge.tsx";
import { formatInteger, formatPercent } from "../parts/format.ts";
import { runPath } from "../parts/paths.ts";
import { ProgressBar } from "../parts/progress-bar.tsx";
import { RunDuration } from "../parts/run-duration.tsx";
import { RunStateBadge } from "../parts/run-state-badge.tsx";
import { isEnded } from "../parts/run-state.ts";
import { ScoreWithInterval } from "../parts/score-with-interval.tsx";
import { TimeAgo } from "../parts/time-ago.tsx";

export const RunRow = memo(function RunRow({ run }: { run: Run }) {
  const { progress, summary } = run;
  return (
    <tr>
      <td data-cell="title">
        <Link href={runPath(run.run_id)} className="row-link">
          {run.test_name}
        </Link>{" "}
        {run.demo && <DemoBadge short />}
      </td>
      <td data-label="Model" className="mono break-all min-[60rem]:max-w-56 min-[60rem]:truncate" title={run.model_id}>
        {run.model_id}
      </td>
      <td data-label="State">
        <RunStateBadge state={run.state} />
      </td>
      <td data-label="Overall">
        {isEnded(run.state) ? (
          <ScoreWithInterval stats={summary?.score_stats["overall"]} />
        ) : (
          <ProgressBar progress={progress} />
        )}
      </td>
      <td data-label="Success" className="number">
        {formatPercent(summary?.average_scores["success"])}
      </td>
      <td data-label="Attempts" className="number">
        {formatInteger(progress.attempts_total)}
      </td>
      <td data-label="Failed turns" className="number">
        <FailedTurns count={progress.interactions_failed} />
      </td>
      <td data-label="Duration" className="number">
        <RunDuration run={run} />
      </td>
      <td data-label="When" className="number text-soft">
        <TimeAgo iso={run.created_at} />
      </td>
    </tr>
  );
});

function FailedTurns({ count }: { count: number }) {
  if (count === 0) return <span className="text-faint">0</span>;
  return <span className="font-semibold text-bad">! {formatInteger(count)}</span>;
}
