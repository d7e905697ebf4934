import type { Run } from "../../src/contract/schemas/run.ts";
import type { ComparedRuns } from "../api/runs.ts";

interface CounterpartOptions {
  /** One of the two is "". */
  readonly choice: ComparedRuns;
  /** The run of `choice`. */
  readonly chosen: Run;
  /** Newest first. */
  readonly runs: readonly Run[];
  /** Id of the pinned baseline of its test. */
  readonly pinned: string | undefined;
}

interface Counterpart {
  readonly run: Run;
  readonly pair: ComparedRuns;
}

/**
 * Suggests a run to compare the chosen one with: the pinned baseline of its test, else the run of that test just before it, else
 * the one after it.
 */
export function suggestCounterpart({ choice, chosen, runs, pinned }: CounterpartOptions): Counterpart | null {
  const others = runs.filter((run) => run.test_name === chosen.test_name && run.run_id !== chosen.run_id);
  const before =
    choice.candidate === ""
      ? undefined
      : (others.find((run) => run.run_id === pinned) ?? others.find((run) => run.created_at <= chosen.created_at));
  if (before) return { run: before, pair: { baseline: before.run_id, candidate: chosen.run_id } };
  const after = others.findLast((run) => run.created_at >= chosen.created_at);
  return after ? { run: after, pair: { baseline: chosen.run_id, candidate: after.run_id } } : null;
}

/** The two newest runs of one test, the older as baseline; null if no test ran twice. `runs` are newest first. */
export function newestPair(runs: readonly Run[]): (ComparedRuns & { readonly testName: string }) | null {
  const later = new Map<string, Run>();
  for (const run of runs) {
    const candidate = later.get(run.test_name);
    if (candidate) return { testName: run.test_name, baseline: run.run_id, candidate: candidate.run_id };
    later.set(run.test_name, run);
  }
  return null;
}
