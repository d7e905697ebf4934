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

export const isFailure = ({ outcome }: AttemptOutline): boolean => outcome === "failed" || outcome === "errored";

export const hasEnded = ({ outcome }: AttemptOutline): boolean => outcome !== "unfinished";

/** By the attempts that have ended. */
export function toScenarioStatus({ attempts, failed }: { attempts: number; failed: number }): ScenarioStatus {
  if (attempts === 0) return "waiting";
  if (failed === 0) return "passing";
  return failed === attempts ? "failing" : "flaky";
}
