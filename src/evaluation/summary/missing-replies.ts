import { simulatedUserScore } from "../../contract/schemas/scores/score-names.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";

interface ScenarioScores {
  readonly average_scores: Scores;
}

/**
 * The means of a score by scenario for a gate, which counts a missing reply as 0: the mean over the replies times the share of
 * turns that got one. Null where no reply is missing, so that the usual figures hold.
 */
export function meansWithMissing(scenarios: readonly ScenarioScores[], name: string): readonly number[] | null {
  if (name === "success" || name === simulatedUserScore) return null;
  const means = scenarios.flatMap((scenario) => meanWithMissing(scenario, name) ?? []);
  const hasMissing = scenarios.some(({ average_scores: { success = 1 } }) => success < 1);
  return hasMissing && scenarios.some(({ average_scores }) => Object.hasOwn(average_scores, name)) ? means : null;
}

/** Null for a scenario that got replies, but not this score. */
export function meanWithMissing({ average_scores }: ScenarioScores, name: string): number | null {
  const { success = 1 } = average_scores;
  const mean = Object.hasOwn(average_scores, name) ? average_scores[name] : undefined;
  if (name === "success" || name === simulatedUserScore) return mean ?? null;
  if (mean === undefined) return success === 0 ? 0 : null;
  return mean * success;
}
