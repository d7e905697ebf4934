import { compact } from "../../base/compact.ts";
import { counted } from "../../base/text.ts";
import { formatFigure, reaches } from "../../base/numbers.ts";
import type { NotWorse, NotWorseMeasure, RunComparison, RunRanking } from "../../contract/schemas/comparison.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../contract/schemas/interaction-result.ts";
import { marginsText, type Margins, type Undecided } from "../../contract/schemas/margins.ts";
import { unauditedScores } from "../../formats/export/results/report-text.ts";
import { scoreTitle } from "../../contract/schemas/scores/score-names.ts";
import { keptByAttempt, measuresOutOfReach, type OutOfReach } from "../../evaluation/comparison/not-worse.ts";
import { pairRuns, type Comparison } from "../../evaluation/comparison/compare-runs.ts";
import { createFailedReplies, createRunTally, type FailedReplies } from "../../evaluation/comparison/run-tally.ts";
import { type ScenarioPair, type ScoreComparison } from "../../evaluation/comparison/compare-score.ts";
import {
  commonAttempts,
  commonPairAttempts,
  compareSides,
  failedReplyNotes,
  type ComparedSide,
} from "../../runs/compare/compare-sides.ts";
import { createEmbedderBaselines } from "../../runs/stored/score-definitions.ts";
import { createRanking, defaultRankingScore, runTitles } from "../../runs/compare/rank-runs.ts";
import type { TallyOptions } from "../../runs/compare/stored-side.ts";
import { undecidedText, type GateCheck } from "./evaluate-gates.ts";

/** A comparison with notes about what it leaves out. */
export type NotedComparison = Comparison &
  Pick<RunComparison, "corrected" | "win_rate"> & {
    /** The answer to "not worse by the margin?", for the margins that were asked for. */
    readonly not_worse?: Omit<NotWorse, "next"> & Partial<Pick<NotWorse, "next">>;
    readonly notes: readonly string[];
    /** Scores of the baseline that could not be compared: measured differently in the candidate, or missing there. */
    readonly lost: readonly string[];
  };

/** Compares two runs by their results, from a store or from files, exactly as the service compares stored runs. */
export function compareResponses(
  baseline: EvaluationResponse,
  candidate: EvaluationResponse,
  { margins }: { margins?: Margins | undefined } = {},
): NotedComparison {
  const sides = toSides(baseline, candidate, margins);
  const { comparison, notes, notWorse } = compareSides(sides.baseline, sides.candidate, { margins });
  const names = new Set(comparison.comparable ? comparison.scores.map(({ name }) => name) : []);
  const lost = Object.keys(baseline.summary.average_scores).filter((name) => !names.has(name));
  return compact({
    ...comparison,
    notes: [...sides.notes, ...notes],
    lost,
    not_worse: notWorse,
  });
}

/** The headline counts missing scenarios. More attempts, where they would decide it, need no new ones. */
export function attemptsAdvice(comparison: NotedComparison): string[] {
  if (!comparison.comparable || comparison.verdict !== "no_difference_seen") return [];
  const overall = comparison.not_worse?.measures.find(
    ({ name, verdict }) => name === "overall" && verdict === "undecided",
  );
  const attempts = overall?.would_decide?.attempts ?? null;
  if (!overall || attempts === null) return [];
  return [
    `If the runs are equal, ${attempts} attempts of these ${overall.scenarios} scenarios would show that overall is not worse by ${overall.margin}, without new scenarios.`,
  ];
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

/** Smallest drop that a baseline without a margin has to exclude before it says that it passed. */
const smallestDrop = 0.05;

/** The margins that {@link evaluateBaseline} judges by. */
export const regressionMargins = ({ scores, maxRegression }: Omit<ComparedBaseline, "undecided">): Margins =>
  Object.fromEntries(scores.map((name) => [name, Math.min(0.999, Math.max(maxRegression, smallestDrop))]));

interface ComparedBaseline {
  /** Scores that must not get worse. */
  readonly scores: readonly string[];
  /** Accepted drop, even a significant one. */
  readonly maxRegression: number;
  /** How it counts when neither a drop nor its absence can be shown. Default: pass, unless replies are shown to be less close. */
  readonly undecided?: Undecided | undefined;
}

/**
 * Fails when a score got significantly worse by more than `maxRegression`, or cannot be compared with the baseline. A reply that the
 * candidate is missing counts as 0. Undecided when
 * a drop of 0.05 or more is not excluded either. The message names the score that fell most.
 */
export function evaluateBaseline(
  comparison: NotedComparison,
  { scores, maxRegression, undecided }: ComparedBaseline,
): GateCheck {
  const gate = `no regression in ${scores.map(scoreTitle).join(", ")}`;
  if (!comparison.comparable) {
    return { gate, passed: false, actual: null, message: `${gate}: cannot be compared. ${comparison.reason}` };
  }
  const watched = comparison.scores.filter(({ name }) => scores.includes(name));
  const worse = watched.filter(({ verdict, effect }) => verdict === "worse" && !reaches(effect, -maxRegression));
  const [lowest] = (worse.length > 0 ? worse : watched).toSorted((left, right) => left.effect - right.effect);
  const lost = scores.filter((name) => comparison.lost.includes(name));
  const measures = comparison.not_worse?.measures ?? [];
  const missed = measures.filter(
    ({ name, verdict, missing_as_zero = 0, effect }) =>
      scores.includes(name) && verdict === "worse" && missing_as_zero > 0 && !reaches(effect ?? 0, -maxRegression),
  );
  const failed = lowest === undefined || worse.length > 0 || lost.length > 0 || missed.length > 0;
  const further = watched.filter(({ verdict, effect }) => verdict === "less_close" && !reaches(effect, -maxRegression));
  const open = failed ? [] : openMeasures(watched, measures);
  const isOpen = !failed && (open.length > 0 || further.length > 0);
  // A shown distance from the references passes only if the caller says so.
  const passed = !failed && (!isOpen || undecided === "pass" || (undecided === undefined && further.length === 0));
  const state = failed ? `failed${whyLost(lost, lowest)}` : isOpen ? undecidedText(passed) : howItPassed(lowest);
  const shown = missed.length > 0 ? missed : lowest ? [lowest] : [];
  const told = isOpen
    ? [...further.map(({ sentence }) => sentence), ...open.map(openText)]
    : shown.map(({ sentence }) => sentence);
  const text = [`${gate}: ${state}.`, ...told];
  const message = [...text, ...unpairedNote(comparison.unpaired), ...comparison.notes].join(" ");
  const actual = shown[0]?.effect ?? null;
  return compact({ gate, passed, actual, message, undecided: isOpen ? (true as const) : undefined });
}

const settledVerdicts: ReadonlySet<string> = new Set(["better", "worse", "closer", "less_close"]);

/** Watched scores of which neither a drop nor its absence is shown. */
function openMeasures(
  watched: readonly ScoreComparison[],
  measures: readonly NotWorseMeasure[],
): readonly NotWorseMeasure[] {
  const settled = new Set(watched.flatMap(({ name, verdict }) => (settledVerdicts.has(verdict) ? name : [])));
  const names = new Set(watched.map(({ name }) => name));
  return measures.filter(({ name, verdict }) => names.has(name) && !settled.has(name) && verdict !== "not_worse");
}

const openText = ({ name, effect, bound, margin, scenarios, would_decide }: NotWorseMeasure): string => {
  const shown = `${scoreTitle(name)} ${formatFigure(effect ?? 0)} over ${counted(scenarios, "scenario")}`;
  const excluded = bound === null ? "too few to tell" : `a drop of up to ${formatFigure(-bound)} is not excluded`;
  // More attempts need no new scenarios, so they come first.
  const sizes = [
    ...(would_decide?.attempts ? [`${would_decide.attempts} attempts of these scenarios`] : []),
    ...(would_decide?.scenarios ? [`about ${would_decide.scenarios} scenarios`] : []),
  ];
  const needed = sizes.length > 0 ? ` (${sizes.join(" or ")} would exclude ${margin})` : "";
  return `${shown}: ${excluded}${needed}.`;
};

/** Passes only if every measure is shown not to be worse by its margin. */
export function evaluateNotWorse(
  comparison: NotedComparison,
  { margins, undecided = "fail" }: { margins: Margins; undecided?: Undecided | undefined },
): GateCheck {
  const gate = `not worse by ${marginsText(margins)}`;
  const { not_worse } = comparison;
  if (!comparison.comparable || !not_worse) {
    const reason = comparison.comparable ? "" : comparison.reason;
    return { gate, passed: false, actual: null, message: `${gate}: cannot be compared. ${reason}` };
  }
  const { verdict, sentence, measures } = not_worse;
  const isOpen = verdict === "undecided";
  const passed = verdict === "not_worse" || (isOpen && undecided === "pass");
  const state = isOpen ? undecidedText(passed) : passed ? "passed" : "failed";
  const text = [`${gate}: ${state}.`, sentence, ...unpairedNote(comparison.unpaired), ...comparison.notes];
  const actual = measures.length === 1 ? (measures[0]?.bound ?? null) : null;
  return compact({ gate, passed, actual, message: text.join(" "), undecided: isOpen ? (true as const) : undefined });
}

/** Measures that no result of these scenarios could show, known before the first call. */
export function outOfReach(
  baseline: EvaluationResponse,
  { margins, scenarios }: { margins: Margins; scenarios: ReadonlySet<string> },
): OutOfReach[] {
  const most = baseline.attempts ?? Number.POSITIVE_INFINITY;
  const { tally, threshold } = toSide(baseline, { attempts: most, failed: createFailedReplies(), margins });
  return measuresOutOfReach(tally, { margins, threshold, scenarios });
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

function toSides(baseline: EvaluationResponse, candidate: EvaluationResponse, margins?: Margins) {
  const attempts = commonPairAttempts(baseline, candidate);
  const failed = failedIn([baseline, candidate]);
  const counted = { attempts: attempts.most, failed, unanswered: margins && failedIn([baseline]), margins };
  return {
    baseline: toSide(baseline, counted),
    candidate: toSide(candidate, counted),
    notes: [...attempts.notes, ...failedReplyNotes(failed, attempts)],
  };
}

function whyLost(lost: readonly string[], lowest: ScoreComparison | undefined): string {
  if (!lowest) return ", none of them is in both runs";
  return lost.length > 0 ? `, ${lost.map(scoreTitle).join(", ")} cannot be compared` : "";
}

/** The size of an accepted drop is shown. */
function howItPassed(lowest: ScoreComparison | undefined): string {
  if (!lowest || Number(formatFigure(lowest.effect)) >= 0) return "passed";
  const drop = `${scoreTitle(lowest.name)} ${formatFigure(lowest.effect)}`;
  return lowest.verdict === "worse" ? `passed, ${drop} is accepted` : `passed, not shown to be worse: ${drop}`;
}

/** Prepares results for a comparison. */
function toSide(
  { run_id, results, state, summary, history, measures }: EvaluationResponse,
  { attempts: most, failed, unanswered, margins }: TallyOptions,
): ComparedSide {
  const tally = createRunTally({ failed, unanswered, byAttempt: margins && keptByAttempt(margins) });
  const embedders = createEmbedderBaselines();
  for (const { scenario_id, attempts } of results.scenarios) {
    for (const { attempt, interactions, conversation } of attempts) {
      if (attempt > most) continue;
      for (const interaction of interactions) {
        const { scores, stated, scoring_version, semantic, latency_ms, cost } = interaction;
        const call = { latency_ms, cost };
        const said = interaction === interactions.at(-1) ? conversation : null;
        if (semantic) embedders.add(semantic);
        tally.add({
          scenario_id,
          interaction: comparedResult(interaction),
          attempt,
          scores,
          stated,
          scoring_version,
          conversation: said,
          call,
        });
      }
    }
  }
  const threshold = results.scenarios[0]?.threshold;
  return {
    run_id,
    state,
    rescored: summary.rescored,
    history,
    threshold,
    measures,
    embedders,
    tally,
    unaudited: unauditedScores(results.scenarios),
  };
}

/** Turns that any of these runs failed to reply to. */
function failedIn(responses: readonly EvaluationResponse[]): FailedReplies {
  const failed = createFailedReplies();
  for (const { scenario_id, attempts } of responses.flatMap(({ results }) => results.scenarios))
    for (const { attempt, interactions } of attempts)
      for (const turn of interactions) {
        failed.add({ scenario_id, interaction_id: comparedResult(turn).id, attempt, scores: turn.scores });
      }
  return failed;
}

/** Conversations with a simulated user differ in length, so all its turns are compared as one. */
function comparedResult(turn: InteractionResult): InteractionResult {
  return turn.simulated ? { ...turn, id: "user" } : turn;
}
