import { memo } from "react";
import { Link } from "wouter";
import type { Run } from "../../src/contract/schemas/run.ts";
import { DemoBadge } from "../parts/demo-badge.tsx";
import { failedTurns } from "../parts/failed-turns.ts";
import { formatCost, formatCount, formatInteger, formatPercent } from "../parts/format.ts";
import { runPath } from "../parts/paths.ts";
import { ProgressBar } from "../parts/progress-bar.tsx";
import { repliedShare } from "../parts/replied-share.ts";
import { RunDuration } from "../parts/run-duration.tsx";
import { runName } from "../parts/run-name.ts";
import { RunStateBadge } from "../parts/run-state-badge.tsx";
import { isEnded } from "../parts/run-state.ts";
import { runTitle } from "../parts/run-title.ts";
import { ScoreWithInterval } from "../parts/score-with-interval.tsx";
import { TimeAgo } from "../parts/time-ago.tsx";
import { useModelName } from "../parts/use-model-name.ts";
import { BaselineCell } from "./baseline-cell.tsx";
import { flakyCount, varyingCount } from "./flaky-count.ts";
import { SparkLine } from "./spark-line.tsx";

interface RunRowProps {
  readonly run: Run;
  readonly trend: readonly number[];
  readonly chosen: boolean;
  readonly onToggle: (id: string) => void;
  /** Whether any listed run has a price. */
  readonly priced: boolean;
}

export const RunRow = memo(function RunRow({ run, trend, chosen, onToggle, priced }: RunRowProps) {
  const { progress, summary } = run;
  const nameOf = useModelName();
  return (
    <tr>
      <td data-cell="title">
        <span className="flex items-start gap-2">
          <input
            type="checkbox"
            className="row-check mt-0.5"
            aria-label={`Choose ${runTitle(run, nameOf(run.model_id))}`}
            checked={chosen}
            onChange={() => onToggle(run.run_id)}
          />
          <span className="grid gap-0.5 min-[75rem]:min-w-48">
            <span className="flex flex-wrap items-center gap-x-2">
              <Link href={runPath(run.run_id)} className="row-link" title={runName(run)} data-row="">
                {runName(run)}
              </Link>
              {run.demo && <DemoBadge short />}
            </span>
            <span className="flex flex-wrap items-center gap-x-2 text-xs whitespace-nowrap text-soft">
              <RunStateBadge run={run} />
              {formatCount(progress.attempts_total, "attempt")}
              {summary?.stopped_by === "budget" && <span className="text-warn">stopped by its budget</span>}
            </span>
          </span>
        </span>
      </td>
      <td data-label="Model" className="mono break-all min-[75rem]:max-w-48 min-[75rem]:min-w-36" title={run.model_id}>
        <span className="clipped">{nameOf(run.model_id)}</span>
      </td>
      <td data-label="Overall" className="whitespace-nowrap">
        {isEnded(run.state) ? (
          <span className="inline-flex items-center gap-2 max-[75rem]:flex-wrap">
            <ScoreWithInterval stats={summary?.score_stats["overall"]} />
            <SparkLine values={trend} />
          </span>
        ) : (
          <ProgressBar progress={progress} />
        )}
      </td>
      <td data-label="Baseline">
        <BaselineCell run={run} />
      </td>
      <td data-label="Success" className="number">
        {formatPercent(repliedShare(summary))}
      </td>
      <td data-label="Flaky" className="number" title={summary?.flakiness?.sentence}>
        <Flaky count={flakyCount(summary) ?? varyingCount(summary)} />
      </td>
      <td data-label="No reply" className="number">
        <FailedTurns count={failedTurns(run).failed} />
      </td>
      {priced && (
        <td data-label="Cost" className="number">
          {summary?.cost ? formatCost(summary.cost) : "–"}
        </td>
      )}
      <td data-label="Duration" className="number">
        <RunDuration run={run} />
      </td>
      <td data-label="When" className="number text-soft">
        <TimeAgo iso={run.created_at} />
      </td>
    </tr>
  );
});

function Flaky({ count }: { count: number }) {
  if (count === 0) return <span className="text-faint">0</span>;
  return <span className="whitespace-nowrap text-warn">~ {formatInteger(count)}</span>;
}

function FailedTurns({ count }: { count: number }) {
  if (count === 0) return <span className="text-faint">0</span>;
  return <span className="font-semibold whitespace-nowrap text-bad">! {formatInteger(count)}</span>;
}
