import { hashText } from "../../base/hash.ts";

/**
 * The number under which pg-boss keeps the jobs of one run, in its `priority`. `fetch` can pick jobs by a range of
 * priorities straight from its index, but not by group: so a run is a priority of its own, and which run comes first is
 * decided by our own fair share (`shareOut`), which knows the run's real priority.
 */
export function laneOf(runId: string): number {
  return hashText(runId) & 0x7fffffff;
}
