import type { Run } from "../../src/contract/schemas/run.ts";
import type { ComparedRuns } from "../compare-api.ts";

/** The two newest runs of one test, the older as baseline; null where no test was run twice. `runs` are the newest first. */
export function lastPair(runs: readonly Run[]): (ComparedRuns & { readonly testName: string }) | null {
  const later = new Map<string, Run>();
  for (const run of runs) {
    const candidate = later.get(run.test_name);
    if (candidate) return { testName: run.test_name, baseline: run.run_id, candidate: candidate.run_id };
    later.set(run.test_name, run);
  }
  return null;
}
