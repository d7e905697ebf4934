import type { AttemptResult, ScenarioResult } from "../../src/contract/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/interaction-result.ts";
import { defaultThreshold, reaches } from "../../src/contract/threshold.ts";

/** Where the service names no threshold (a run still under way), its default. */
export const thresholdOf = (scenario: Pick<ScenarioResult, "reliability">): number =>
  scenario.reliability?.threshold ?? defaultThreshold;

/** `errored`: no usable reply. `unscored`: a reply, and nothing to measure it against. */
export type Outcome = "passed" | "failed" | "errored" | "unscored";

export function judgeTurn(turn: InteractionResult, threshold: number): Outcome {
  if (turn.error) return "errored";
  return judgeScore(turn.scores["overall"], threshold);
}

/**
 * `waiting`: none of its turns is stored, because it has not begun or its run was stopped before. `unfinished`: some are, so it
 * says nothing yet.
 */
export type AttemptOutcome = Outcome | "waiting" | "unfinished";

/** An attempt passes by its average; a turn without a reply is told apart from a poor reply. */
export function judgeAttempt(attempt: AttemptResult, threshold: number): AttemptOutcome {
  if (attempt.interactions.length === 0) return "waiting";
  if (attempt.unfinished) return "unfinished";
  if (attempt.interactions.some((turn) => turn.error)) return "errored";
  return judgeScore(attempt.average_scores["overall"], threshold);
}

function judgeScore(overall: number | undefined, threshold: number): Outcome {
  if (overall === undefined) return "unscored";
  return reaches(overall, threshold) ? "passed" : "failed";
}

export const isFailure = (outcome: AttemptOutcome): boolean => outcome === "failed" || outcome === "errored";
