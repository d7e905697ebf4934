import type { Run } from "../../src/contract/run.ts";
import type { useBaselines } from "../parts/baselines.ts";
import { comparePath, rankPath } from "../parts/paths.ts";

/** Where the chosen runs stand beside each other: two of them, the older as baseline, one with its pinned baseline, or more that are ranked. */
export function compareChoice(picked: readonly Run[], baselines: ReturnType<typeof useBaselines>): string | null {
  const [first, second] = picked.toSorted((left, right) => left.created_at.localeCompare(right.created_at));
  if (!first) return null;
  if (picked.length > 2) return rankPath(picked.map(({ run_id }) => run_id));
  if (second) return comparePath({ baseline: first.run_id, candidate: second.run_id });
  const baseline = baselines[first.test_name]?.runId;
  const isHeld = baseline !== undefined && baseline !== first.run_id;
  return isHeld ? comparePath({ baseline, candidate: first.run_id }) : null;
}
