import type { Run } from "../../src/contract/run.ts";
import type { useBaselines } from "../parts/baselines.ts";
import type { ComparedRuns } from "../compare-api.ts";

/** What the chosen runs would compare: two of them, the older as baseline, or one with its pinned baseline. */
export function compareChoice(picked: readonly Run[], baselines: ReturnType<typeof useBaselines>): ComparedRuns | null {
  const [first, second] = picked.toSorted((left, right) => left.created_at.localeCompare(right.created_at));
  if (!first || picked.length > 2) return null;
  if (second) return { baseline: first.run_id, candidate: second.run_id };
  const baseline = baselines[first.test_name]?.runId;
  return baseline === undefined || baseline === first.run_id ? null : { baseline, candidate: first.run_id };
}
