import { figureText, reaches } from "../../base/numbers.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { Comparison } from "../../evaluation/comparison/compare-runs.ts";
import { pairRuns } from "../../evaluation/comparison/compare-runs.ts";
import { type ScenarioPair } from "../../evaluation/comparison/compare-score.ts";
import type { ScoreComparison } from "../../evaluation/comparison/compare-score.ts";
import { compareSides } from "../../runs/compare-sides.ts";
import { comparedAttempts, notesOnFailed } from "../../runs/compared-attempts.ts";
import type { GateCheck } from "./check-gates.ts";
import { leftOut } from "./left-out.ts";
import { failedIn, toSide } from "./to-side.ts";

/** A comparison with what was left out of it. */
export type NotedComparison = Comparison & {
  readonly notes: readonly string[];
  /** Scores of the baseline that could not be compared: made otherwise in the candidate, or not there at all. */
  readonly lost: readonly string[];
};

/** Compares two runs from their results, wherever those came from, as the service compares stored ones. */
export function compareResponses(baseline: EvaluationResponse, candidate: EvaluationResponse): NotedComparison {
  const sides = toSides(baseline, candidate);
  const { comparison, notes } = compareSides(sides.baseline, sides.candidate);
  const compared = new Set(comparison.comparable ? comparison.scores.map(({ name }) => name) : []);
  const lost = Object.keys(baseline.summary.average_scores).filter((name) => !compared.has(name));
  return { ...comparison, notes: [...sides.notes, ...notes], lost };
}

/** Each scenario's mean of one score in both runs, over what they share. */
export function pairScenarios(
  baseline: EvaluationResponse,
  candidate: EvaluationResponse,
  score: string,
): readonly ScenarioPair[] {
  const sides = toSides(baseline, candidate);
  return pairRuns(sides.baseline.tally, sides.candidate.tally).scores.get(score) ?? [];
}

function toSides(baseline: EvaluationResponse, candidate: EvaluationResponse) {
  const attempts = comparedAttempts(baseline, candidate);
  const failed = failedIn([baseline, candidate]);
  const counted = { attempts: attempts.most, failed };
  return {
    baseline: toSide(baseline, counted),
    candidate: toSide(candidate, counted),
    notes: [...attempts.notes, ...notesOnFailed(failed, attempts)],
  };
}

interface BaselineOptions {
  /** Scores that must not get worse. */
  readonly scores: readonly string[];
  /** A drop up to this much is accepted even when it is certain. */
  readonly maxRegression: number;
}

/**
 * Passes unless a score got worse by more than chance explains and more than is accepted, or cannot be held against the baseline's.
 * Tells of the one that fell most.
 */
export function checkBaseline(comparison: NotedComparison, { scores, maxRegression }: BaselineOptions): GateCheck {
  const gate = `no regression in ${scores.join(", ")}`;
  if (!comparison.comparable) {
    return { gate, passed: false, actual: null, message: `${gate}: cannot be compared. ${comparison.reason}` };
  }
  const watched = comparison.scores.filter(({ name }) => scores.includes(name));
  const worse = watched.filter(({ verdict, effect }) => verdict === "worse" && !reaches(effect, -maxRegression));
  const [lowest] = (worse.length > 0 ? worse : watched).toSorted((left, right) => left.effect - right.effect);
  const lost = scores.filter((name) => comparison.lost.includes(name));
  const passed = lowest !== undefined && worse.length === 0 && lost.length === 0;
  const state = lowest && passed ? howItPassed(lowest) : `failed${whyLost(lost, lowest)}`;
  const text = [`${gate}: ${state}.`, ...(lowest ? [lowest.sentence] : [])];
  const message = [...text, ...leftOut(comparison.unpaired), ...comparison.notes].join(" ");
  return { gate, passed, actual: lowest?.effect ?? null, message };
}

function whyLost(lost: readonly string[], lowest: ScoreComparison | undefined): string {
  if (!lowest) return ", none of them is in both runs";
  return lost.length > 0 ? `, ${lost.join(", ")} cannot be compared` : "";
}

/** That a drop is not shown to be real does not mean that there is none: the reader sees how large it is. */
function howItPassed({ name, effect, verdict }: ScoreComparison): string {
  if (Number(figureText(effect)) >= 0) return "passed";
  const drop = `${name} ${figureText(effect)}`;
  return verdict === "worse" ? `passed, ${drop} is accepted` : `passed, not shown to be worse: ${drop}, undecided`;
}
