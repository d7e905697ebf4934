import { formatFigure, reaches } from "../../base/numbers.ts";
import type { RunRanking } from "../../contract/schemas/comparison.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { Comparison } from "../../evaluation/comparison/compare-runs.ts";
import { createFailedReplies, type FailedReplies } from "../../evaluation/comparison/run-tally.ts";
import { pairRuns } from "../../evaluation/comparison/compare-runs.ts";
import { type ScenarioPair } from "../../evaluation/comparison/compare-score.ts";
import { createRunTally } from "../../evaluation/comparison/run-tally.ts";
import type { ScoreComparison } from "../../evaluation/comparison/compare-score.ts";
import { compareSides, type ComparedSide } from "../../runs/compare/compare-sides.ts";
import { commonPairAttempts, commonAttempts, failedReplyNotes } from "../../runs/compare/compare-sides.ts";
import { createEmbedderBaselines } from "../../runs/compare/score-definitions.ts";
import { createRanking, defaultRankingScore, runTitles } from "../../runs/compare/rank-runs.ts";
import type { TallyOptions } from "../../runs/compare/stored-side.ts";
import { counted } from "../terminal/text.ts";
import type { GateCheck } from "./evaluate-gates.ts";

/** A comparison with notes about what it leaves out. */
export type NotedComparison = Comparison & {
  readonly notes: readonly string[];
  /** Scores of the baseline that could not be compared: measured differently in the candidate, or missing there. */
  readonly lost: readonly string[];
};

/** Compares two runs by their results, from a store or from files, exactly as the service compares stored runs. */
export function compareResponses(baseline: EvaluationResponse, candidate: EvaluationResponse): NotedComparison {
  const sides = toSides(baseline, candidate);
  const { comparison, notes } = compareSides(sides.baseline, sides.candidate);
  const compared = new Set(comparison.comparable ? comparison.scores.map(({ name }) => name) : []);
  const lost = Object.keys(baseline.summary.average_scores).filter((name) => !compared.has(name));
  return { ...comparison, notes: [...sides.notes, ...notes], lost };
}

/** Ranks runs by their results, from a store or from files, exactly as the service ranks stored runs. */
export function rankResponses(
  responses: readonly EvaluationResponse[],
  score = defaultRankingScore(responses),
): RunRanking {
  const runs = responses.map(({ run_id, test_name, model_id, endpoint, demo, summary }) => ({
    run_id,
    test_name,
    model_id,
    endpoint,
    demo,
    summary,
  }));
  const titles = runTitles(runs);
  const attempts = commonAttempts(responses.map((response, index) => [`the run ${titles[index]}`, response]));
  const failed = failedIn(responses);
  const ranking = createRanking(score, runs);
  for (const response of responses) ranking.add(toSide(response, { attempts: attempts.most, failed }));
  return ranking.finish([...attempts.notes, ...failedReplyNotes(failed, { ...attempts, score })]);
}

/** Each scenario's mean of one score in both runs, over the turns they share. */
export function pairScenarios(
  baseline: EvaluationResponse,
  candidate: EvaluationResponse,
  score: string,
): readonly ScenarioPair[] {
  const sides = toSides(baseline, candidate);
  return pairRuns(sides.baseline.tally, sides.candidate.tally).scores.get(score) ?? [];
}

interface BaselineOptions {
  /** Scores that must not get worse. */
  readonly scores: readonly string[];
  /** Accepted drop, even a significant one. */
  readonly maxRegression: number;
}

/**
 * Fails when a score got significantly worse by more than `maxRegression`, or cannot be compared with the baseline.
 * The message names the score that fell most.
 */
export function evaluateBaseline(comparison: NotedComparison, { scores, maxRegression }: BaselineOptions): GateCheck {
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
  const message = [...text, ...unpairedNote(comparison.unpaired), ...comparison.notes].join(" ");
  return { gate, passed, actual: lowest?.effect ?? null, message };
}

/** Describes turns without a counterpart; empty when both runs have the same. */
export function unpairedNote({ baseline_only, candidate_only, changed }: Comparison["unpaired"]): string[] {
  const parts = [
    ...(baseline_only > 0 ? [`${counted(baseline_only, "turn")} only in the baseline`] : []),
    ...(candidate_only > 0 ? [`${counted(candidate_only, "turn")} only in the candidate`] : []),
    ...(changed > 0 ? [`${counted(changed, "turn")} with a different question or reference`] : []),
  ];
  return parts.length === 0 ? [] : [`Not compared: ${parts.join(", ")}.`];
}

function toSides(baseline: EvaluationResponse, candidate: EvaluationResponse) {
  const attempts = commonPairAttempts(baseline, candidate);
  const failed = failedIn([baseline, candidate]);
  const counted = { attempts: attempts.most, failed };
  return {
    baseline: toSide(baseline, counted),
    candidate: toSide(candidate, counted),
    notes: [...attempts.notes, ...failedReplyNotes(failed, attempts)],
  };
}

function whyLost(lost: readonly string[], lowest: ScoreComparison | undefined): string {
  if (!lowest) return ", none of them is in both runs";
  return lost.length > 0 ? `, ${lost.join(", ")} cannot be compared` : "";
}

/** An insignificant drop may still be real, so its size is shown. */
function howItPassed({ name, effect, verdict }: ScoreComparison): string {
  if (Number(formatFigure(effect)) >= 0) return "passed";
  const drop = `${name} ${formatFigure(effect)}`;
  return verdict === "worse" ? `passed, ${drop} is accepted` : `passed, not shown to be worse: ${drop}, undecided`;
}

/** Prepares results for a comparison. */
function toSide(
  { results, state, summary, history, measures }: EvaluationResponse,
  { attempts: most, failed }: TallyOptions,
): ComparedSide {
  const tally = createRunTally({ failed });
  const embedders = createEmbedderBaselines();
  for (const { scenario_id, attempts } of results.scenarios) {
    for (const { attempt, interactions, conversation } of attempts) {
      if (attempt > most) continue;
      for (const interaction of interactions) {
        const { scores, scoring_version, semantic } = interaction;
        const said = interaction === interactions.at(-1) ? conversation : null;
        if (semantic) embedders.add(semantic);
        tally.add({ scenario_id, interaction, attempt, scores, scoring_version, conversation: said });
      }
    }
  }
  return { state, rescored: summary.rescored, history, measures, embedders, tally };
}

/** Turns that any of these runs failed to reply to. */
function failedIn(responses: readonly EvaluationResponse[]): FailedReplies {
  const failed = createFailedReplies();
  for (const { scenario_id, attempts } of responses.flatMap(({ results }) => results.scenarios))
    for (const { attempt, interactions } of attempts)
      for (const { id, scores } of interactions) failed.add({ scenario_id, interaction_id: id, attempt, scores });
  return failed;
}
