import { Link } from "wouter";
import type { Run } from "../../src/contract/schemas/run.ts";
import { useBaselines } from "../parts/baselines.ts";
import { effectSign, formatEffect } from "../parts/format-effect.ts";
import { comparePath } from "../parts/paths.ts";
import { PinButton } from "../parts/pin-button.tsx";
import { isEnded } from "../parts/run-state.ts";

/** How far a run is from its baseline. Whether that is more than chance is for the comparison behind the link to say. */
export function BaselineCell({ run }: { run: Run }) {
  const baseline = useBaselines()[run.test_name];
  const overall = run.summary?.average_scores["overall"];
  if (!isEnded(run.state)) return null;
  const change = (overall ?? 0) - (baseline?.overall ?? 0);
  const sign = effectSign(change);
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      {baseline?.runId === run.run_id && <span className="text-xs font-medium text-accent">baseline</span>}
      {baseline && baseline.runId !== run.run_id && baseline.overall !== null && overall !== undefined && (
        <Link
          href={comparePath({ baseline: baseline.runId, candidate: run.run_id })}
          className={`link relative z-1 ${sign < 0 ? "text-bad!" : ""}`}
          title="Compare with the baseline"
        >
          {sign < 0 ? "▼" : sign > 0 ? "▲" : "="} {formatEffect(change)}
        </Link>
      )}
      <PinButton run={run} />
    </span>
  );
}
