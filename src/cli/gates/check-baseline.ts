import type { EvaluationResponse } from "../../contract/evaluation-response.ts";
import { compareRuns, type Comparison } from "../../evaluation/comparison/compare-runs.ts";
import { createRunTally, type RunTally } from "../../evaluation/comparison/run-tally.ts";
import type { GateCheck } from "./check-gates.ts";

/** Compares two runs from their results, wherever those came from. */
export function compareResponses(baseline: EvaluationResponse, candidate: EvaluationResponse): Comparison {
  return compareRuns({ baseline: toTally(baseline), candidate: toTally(candidate) });
}

function toTally({ results }: EvaluationResponse): RunTally {
  const tally = createRunTally();
  for (const { scenario_id, attempts } of results.scenarios) {
    for (const interaction of attempts.flatMap(({ interactions }) => interactions)) {
      const { scores, scoring_version } = interaction;
      tally.add({ scenario_id, interaction, scores, scoring_version });
    }
  }
  return tally;
}

export interface BaselineOptions {
  /** Scores that must not get worse. */
  readonly scores: readonly string[];
  /** A drop up to this much is accepted even when it is certain. */
  readonly maxRegression: number;
}

/** Passes unless a score got worse by more than chance explains and more than is accepted. */
export function checkBaseline(comparison: Comparison, { scores, maxRegression }: BaselineOptions): GateCheck {
  const gate = `no regression in ${scores.join(", ")}`;
  if (!comparison.comparable) {
    return { gate, passed: false, actual: null, message: `${gate}: cannot be compared. ${comparison.reason}` };
  }
  const watched = comparison.scores.filter(({ name }) => scores.includes(name));
  const worse = watched.filter(({ verdict, effect }) => verdict === "worse" && -effect > maxRegression);
  const [first] = worse.toSorted((left, right) => left.effect - right.effect);
  const sentence = first?.sentence ?? watched[0]?.sentence ?? comparison.sentence;
  return {
    gate,
    passed: first === undefined,
    actual: first?.effect ?? watched[0]?.effect ?? null,
    message: `${gate}: ${first ? "failed" : "passed"}. ${sentence}`,
  };
}
