import type { AttemptOutline, ScenarioStatus } from "../contract/run-scenarios.ts";
import type { AttemptAverages } from "../contract/store.ts";
import { reaches } from "../contract/threshold.ts";

/** An attempt in short, from its averages. `success` below 1 means that a turn got no reply. */
export function toAttemptOutline(
  { attempt, state, average_scores }: AttemptAverages,
  threshold: number,
): AttemptOutline {
  const overall = average_scores?.["overall"] ?? null;
  if (state !== "done") return { attempt, outcome: "unfinished", overall };
  if ((average_scores?.["success"] ?? 1) < 1) return { attempt, outcome: "errored", overall };
  if (overall === null) return { attempt, outcome: "unscored", overall };
  return { attempt, outcome: reaches(overall, threshold) ? "passed" : "failed", overall };
}

/** How many attempts of a scenario have ended, and of those passed or failed. What could not be scored did neither. */
export interface AttemptTally {
  ended: number;
  passed: number;
  failed: number;
}

export function countAttempt(tally: AttemptTally, { outcome }: Pick<AttemptOutline, "outcome">): void {
  if (outcome !== "unfinished") tally.ended++;
  if (outcome === "passed") tally.passed++;
  if (outcome === "failed" || outcome === "errored") tally.failed++;
}

export function toScenarioStatus({ ended, passed, failed }: AttemptTally): ScenarioStatus {
  if (ended === 0) return "waiting";
  if (passed > 0) return failed > 0 ? "flaky" : "passing";
  return failed > 0 ? "failing" : "unscored";
}
