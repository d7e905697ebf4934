import type { Run } from "../../src/contract/schemas/run.ts";
import type { useBaselines } from "../parts/baselines.ts";
import { comparePath, rankPath } from "../parts/paths.ts";

interface CompareChoiceOptions {
  readonly runs: readonly Run[];
  readonly baselines: ReturnType<typeof useBaselines>;
}

/**
 * Where the chosen runs stand beside each other: two of them, the older as baseline, one with its pinned baseline, or more that
 * are ranked. A search may leave them out of the list; which is older, their ids tell by themselves.
 */
export function compareChoice(chosen: ReadonlySet<string>, { runs, baselines }: CompareChoiceOptions): string | null {
  const [first, second] = [...chosen].toSorted();
  if (first === undefined) return null;
  if (chosen.size > 2) return rankPath([...chosen]);
  if (second !== undefined) return comparePath({ baseline: first, candidate: second });
  const baseline = baselines[runs.find((run) => run.run_id === first)?.test_name ?? ""]?.runId;
  const isHeld = baseline !== undefined && baseline !== first;
  return isHeld ? comparePath({ baseline, candidate: first }) : null;
}
