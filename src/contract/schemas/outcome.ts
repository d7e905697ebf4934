import { reaches } from "../../base/numbers.ts";
import type { ScenarioResult } from "./evaluation-response.ts";
import type { InteractionResult } from "./interaction-result.ts";
import type { RunSummary, ScenarioCounts } from "./run.ts";
import { simulatedUserScore } from "./score-names.ts";
import type { Scores } from "./score.ts";

/**
 * `errored`: a turn has no usable reply. `unscored`: there are replies, but nothing to measure them against. `simulator_failed`: the
 * simulated user failed, which says nothing about the agent.
 */
export type Outcome = "passed" | "failed" | "errored" | "unscored" | "simulator_failed";

/** The score that every attempt of a scenario with `expect` has, also when its outcome could not be decided. */
export const expectationScore = "outcome.replies";

/**
 * The outcome of a finished attempt by its averages. A `success` below 1 means that a turn got no reply. Where the scenario has
 * `expect`, the score `outcome` decides instead of `overall`.
 */
export function attemptOutcome(scores: Scores, threshold: number): Outcome {
  const { success = 1, overall, outcome } = scores;
  if (scores[simulatedUserScore] === 0) return "simulator_failed";
  if (success < 1) return "errored";
  if (scores[expectationScore] !== undefined) {
    return outcome === undefined ? "unscored" : outcome === 1 ? "passed" : "failed";
  }
  if (overall === undefined) return "unscored";
  return reaches(overall, threshold) ? "passed" : "failed";
}

/** The outcome of one turn. */
export function turnOutcome(
  { scores, error }: Pick<InteractionResult, "scores" | "error">,
  threshold: number,
): Outcome {
  return error ? "errored" : attemptOutcome(scores, threshold);
}

/** True when a turn has no `overall` because one of its scores failed. */
export function lacksOverall({ scores, failed_scores }: Pick<InteractionResult, "scores" | "failed_scores">): boolean {
  return failed_scores !== undefined && scores["overall"] === undefined;
}

/** False for waiting and unfinished attempts: their outcome is not known yet. */
export const isFailure = (outcome: Outcome | "waiting" | "unfinished"): boolean =>
  outcome === "failed" || outcome === "errored";

/** Minimum `overall` of a good turn and a passed attempt, unless the run sets another. */
export const defaultThreshold = 0.8;

/** The threshold of a run, read from one of its scenarios. Results of earlier releases have it only when an attempt was judged. */
export const thresholdOf = ({ threshold, reliability }: Pick<ScenarioResult, "threshold" | "reliability">): number =>
  threshold ?? reliability?.threshold ?? defaultThreshold;

/** Scenarios with a verdict: those that passed, failed or got no reply. */
export const judgedScenarios = ({ total, unscored, waiting }: ScenarioCounts): number => total - unscored - waiting;

/** 12345 → "12,345". Written by hand because `toLocaleString` loads the language data, which takes 20 ms once. */
const count = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");

interface PassRate {
  /** "7 of 8 scenarios pass". */
  readonly headline: string;
  /** Scenarios that the headline says too little about. */
  readonly notes: readonly string[];
}

/** The pass rate of a run in words; null when no scenario has a verdict, or the counts are unknown. */
export function passRate({
  scenarios,
  always_failing = [],
}: Pick<RunSummary, "scenarios" | "always_failing">): PassRate | null {
  if (!scenarios || judgedScenarios(scenarios) === 0) return null;
  const { passing, no_reply, unscored, waiting } = scenarios;
  const judged = judgedScenarios(scenarios);
  if (no_reply === judged) {
    const headline = judged === 1 ? "No reply in the scenario" : `No reply in any of ${count(judged)} scenarios`;
    return { headline, notes: [] };
  }
  const noun = judged === 1 ? "scenario passes" : passing === 1 ? "scenarios passes" : "scenarios pass";
  return {
    headline: `${count(passing)} of ${count(judged)} ${noun}`,
    notes: [
      ...(always_failing.length > 0 ? [`${count(always_failing.length)} with a turn that always fails`] : []),
      ...(unscored > 0 ? [`${count(unscored)} not scored`] : []),
      ...(waiting > 0 ? [`${count(waiting)} not finished`] : []),
    ],
  };
}

/** The pass rate with its notes in parentheses. */
export function passRateText(summary: Pick<RunSummary, "scenarios" | "always_failing">): string | null {
  const rate = passRate(summary);
  return rate && rate.headline + (rate.notes.length > 0 ? ` (${rate.notes.join(", ")})` : "");
}
