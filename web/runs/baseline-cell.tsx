import { Link } from "wouter";
import type { Run } from "../../src/contract/run.ts";
import { useBaselines } from "../parts/baselines.ts";
import { formatEffect } from "../parts/format-effect.ts";
import { comparePath } from "../parts/paths.ts";
import { PinButton } from "../parts/pin-button.tsx";
import { isEnded } from "../parts/run-state.ts";

/** How far a run is from its baseline. Whether that is more than chance is for the comparison behind the link to say. */
export function BaselineCell({ run }: { run: Run }) {
  const baseline = useBaselines()[run.test_name];
  const overall = run.summary?.average_scores["overall"];
  if (!isEnded(run.state)) return null;
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      {baseline?.runId === run.run_id && <span className="text-xs font-medium text-accent">baseline</span>}
      {baseline && baseline.runId !== run.run_id && baseline.overall !== null && overall !== undefined && (
        <Link
          href={comparePath({ baseline: baseline.runId, candidate: run.run_id })}
          className={`link relative z-1 ${overall < baseline.overall ? "text-bad!" : ""}`}
          title="Compare with the baseline"
        >
          {overall < baseline.overall ? "▼" : overall > baseline.overall ? "▲" : "="}{" "}
          {formatEffect(overall - baseline.overall)}
        </Link>
      )}
      <PinButton run={run} />
    </span>
  );
}
