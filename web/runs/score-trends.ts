import type { Run } from "../../src/contract/schemas/run.ts";

const longest = 20;

/** For each run the overall scores of its test up to it, the oldest first. Runs come newest first. */
export function scoreTrends(runs: readonly Run[]): Map<string, readonly number[]> {
  const trends = new Map<string, readonly number[]>();
  const soFar = new Map<string, readonly number[]>();
  for (const run of runs.toReversed()) {
    const overall = run.summary?.average_scores["overall"];
    if (overall === undefined) continue;
    const values = [...(soFar.get(run.test_name) ?? []), overall].slice(-longest);
    soFar.set(run.test_name, values);
    trends.set(run.run_id, values);
  }
  return trends;
}
