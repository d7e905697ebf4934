import type { AttemptResult, ScenarioResult } from "../../src/contract/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/interaction-result.ts";

/** Where the service names no threshold (a run still under way), its default. */
const defaultThreshold = 0.8;

export const thresholdOf = (scenario: Pick<ScenarioResult, "reliability">): number =>
  scenario.reliability?.threshold ?? defaultThreshold;

/** `errored`: no usable reply. `unscored`: a reply, and nothing to measure it against. */
export type Outcome = "passed" | "failed" | "errored" | "unscored";

export function judgeTurn(turn: InteractionResult, threshold: number): Outcome {
  if (turn.error) return "errored";
  return judgeScore(turn.scores["overall"], threshold);
}

/** An attempt passes by its average; a turn without a reply is told apart from a poor reply. */
export function judgeAttempt(attempt: AttemptResult, threshold: number): Outcome {
  if (attempt.interactions.some((turn) => turn.error)) return "errored";
  return judgeScore(attempt.average_scores["overall"], threshold);
}

function judgeScore(overall: number | undefined, threshold: number): Outcome {
  if (overall === undefined) return "unscored";
  return overall >= threshold ? "passed" : "failed";
}

export const isFailure = (outcome: Outcome): boolean => outcome === "failed" || outcome === "errored";
