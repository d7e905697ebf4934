import type { Run } from "../../src/contract/schemas/run.ts";
import { pinBaseline, useBaselines } from "./baselines.ts";

/** Whether a run is the baseline of its test, and how to change that. */
export function usePin(run: Run): { pinned: boolean; toggle: () => void } {
  const pinned = useBaselines()[run.test_name]?.runId === run.run_id;
  const overall = run.summary?.average_scores["overall"] ?? null;
  return { pinned, toggle: () => pinBaseline(run.test_name, pinned ? null : { runId: run.run_id, overall }) };
}
