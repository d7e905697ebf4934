import { attemptOutcome } from "../contract/schemas/outcome.ts";
import type { AttemptOutline, ScenarioStatus } from "../contract/schemas/run-scenarios.ts";
import type { AttemptAverages } from "../contract/ports/store.ts";

/** An attempt in short, from its averages. One that a spent budget cut short is over before the last of the scenario's `turns`. */
export function toAttemptOutline(
  { attempt, state, average_scores, interactions_done }: AttemptAverages,
  { threshold, turns }: { threshold: number; turns: number },
): AttemptOutline {
  const whole = state === "done" && interactions_done >= turns;
  const outcome = whole ? attemptOutcome(average_scores ?? {}, threshold) : "unfinished";
  return { attempt, outcome, overall: average_scores?.["overall"] ?? null };
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
