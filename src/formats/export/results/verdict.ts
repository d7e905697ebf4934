import type { AttemptResult, ScenarioResult } from "../../../contract/schemas/evaluation-response.ts";
import { singleChecks } from "../../../contract/schemas/scores/score-names.ts";
import { lacksOverall, outcomeOfAttempt } from "../../../contract/schemas/outcome.ts";

/**
 * The result of a scenario. `error`: every attempt has a turn without a usable reply, or one that could not be scored. `unscored`:
 * nothing decides. `simulator_failed`: the simulated user spoiled every attempt. `not_run`: no attempt finished
 * before the run ended.
 */
export interface ScenarioVerdict {
  readonly outcome: "passed" | "failed" | "error" | "unscored" | "simulator_failed" | "not_run";
  /** Minimum `overall` of an attempt; undefined where the statements of the scenario decide. */
  readonly threshold: number | undefined;
  readonly passed: number;
  readonly counted: number;
  /** Attempts that finished, out of those that are listed. */
  readonly run: number;
  readonly planned: number;
}

/** True for a scenario that did not pass, unlike one that could not be judged. */
export const isFailing = ({ outcome }: ScenarioVerdict): boolean => outcome === "failed" || outcome === "error";

/** True for a scenario about which nothing was found out. A judge that failed in every attempt says nothing about the agent. */
export const isUndecided = ({ outcome, counted }: ScenarioVerdict): boolean =>
  outcome === "error" ? counted === 0 : outcome !== "passed" && outcome !== "failed";

/** The attempts that passed, in the words of every report. */
export function passedText({ passed, counted }: ScenarioVerdict): string {
  if (counted === 0) return "could not be scored";
  return `${passed} of ${counted} ${counted === 1 ? "attempt" : "attempts"} passed`;
}

/** A scenario passes if every attempt passes. Attempts that the simulated user spoiled do not count. */
export function verdictOf(result: ScenarioResult): ScenarioVerdict {
  const { threshold } = result;
  const ended = result.attempts.filter(({ interactions, unfinished }) => interactions.length > 0 && !unfinished);
  const outcomes = ended.map((attempt) => outcomeOfAttempt(attempt, threshold));
  const counted = outcomes.filter((outcome) => outcome !== "unscored" && outcome !== "simulator_failed");
  const passed = counted.filter((outcome) => outcome === "passed").length;
  const figures = {
    threshold,
    passed,
    counted: counted.length,
    run: ended.length,
    planned: result.attempts.length,
  };
  if (ended.length === 0) return { outcome: "not_run", ...figures };
  if (outcomes.every((outcome) => outcome === "simulator_failed")) return { outcome: "simulator_failed", ...figures };
  if (counted.length === 0) return { outcome: ended.some(hasFailedScores) ? "error" : "unscored", ...figures };
  if (passed === counted.length)
    return { outcome: ended.some(hasUnansweredRubric) ? "unscored" : "passed", ...figures };
  return { outcome: counted.every((outcome) => outcome === "errored") ? "error" : "failed", ...figures };
}

/** A rubric that no judge was asked: the run has none for single replies. What it asks was not seen to happen. */
const hasUnansweredRubric = ({ interactions }: AttemptResult): boolean =>
  interactions.some(
    ({ checks = [], judgements = {} }) =>
      Object.keys(judgements).length === 0 &&
      singleChecks(checks).some(({ type, weight }) => type === "rubric" && weight !== 0),
  );

const hasFailedScores = ({ interactions }: AttemptResult): boolean => interactions.some(lacksOverall);
