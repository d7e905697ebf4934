import { formatFigure, reaches } from "../../base/numbers.ts";
import type { ConversationJudgement } from "./judging/judge.ts";
import type { RunSettings } from "./evaluation-request.ts";
import type { AttemptResult } from "./evaluation-response.ts";
import type { InteractionResult } from "./interaction-result.ts";
import type { RunSummary, ScenarioCounts } from "./run.ts";
import {
  isOwnScore,
  judgeScores,
  similarityScores,
  simulatedUserScore,
  statementScores,
} from "./scores/score-names.ts";
import { scoreFacts } from "./scores/scores.data.ts";
import type { Scores } from "./scores/score.ts";

/**
 * `passed`: everything that the scenario states was seen to hold. `failed`: something was seen not to. `unscored`: there are replies, and
 * nothing decides about them. `errored`: a turn has no usable reply. `simulator_failed`: the simulated user failed, which says nothing
 * about the agent.
 */
export type Outcome = "passed" | "failed" | "errored" | "unscored" | "simulator_failed";

/** The score that every attempt of a scenario with `expect` has, also when its outcome could not be decided. */
export const expectationScore = "outcome.replies";

/** The statements of a turn or an attempt, taken together. `silent`: it states nothing. */
export type Standing = "held" | "broken" | "undecided" | "silent";

const precedence: readonly Standing[] = ["broken", "undecided", "held", "silent"];

/** One broken statement is enough, and one undecided statement leaves the whole undecided. */
export function joinStandings(all: Iterable<Standing>): Standing {
  const found = new Set(all);
  return precedence.find((standing) => found.has(standing)) ?? "silent";
}

type StatedTurn = Pick<InteractionResult, "scores"> & Partial<Pick<InteractionResult, "stated">>;

/** The standing of one turn. Turns scored by earlier releases have no `stated`: their scores are read instead. */
export function standingOf({ stated, scores }: StatedTurn): Standing {
  return stated
    ? joinStandings(Object.values(stated).map((held) => (held === null ? "undecided" : held ? "held" : "broken")))
    : standingOfScores(scores);
}

/** The standing of scores without `stated`: of whole conversations, and of turns scored by earlier releases. */
function standingOfScores(scores: Scores): Standing {
  return joinStandings(
    Object.entries(scores).map(([name, value]): Standing => {
      if (judgeScores.has(name)) return reaches(value, defaultThreshold) ? "held" : "broken";
      const isMember = name.includes(".") && scores[name.slice(0, name.indexOf("."))] !== undefined;
      const decides = statementScores.has(name) || (isOwnScore(name) && !isMember);
      if (!decides) return "silent";
      return reaches(value, 1) ? "held" : "broken";
    }),
  );
}

/** In the stored averages of an attempt: the place of its turns' standing among the four. */
const standingScore = "stated";

interface StatedAttempt {
  readonly interactions: readonly StatedTurn[];
  /** The judge's verdict on the whole conversation. */
  readonly conversation?: Pick<ConversationJudgement, "scores" | "score_reasons"> | undefined;
}

/** The standing of the turns of an attempt; undecided where the judge was asked about the conversation and gave no verdict. */
export function standingOfTurns({ interactions, conversation }: StatedAttempt): Standing {
  const { scores = {}, score_reasons = {} } = conversation ?? {};
  const isLost = Object.keys(score_reasons).some((name) => judgeScores.has(name) && scores[name] === undefined);
  return joinStandings([...interactions.map(standingOf), isLost ? "undecided" : "silent"]);
}

/** The averages of an attempt as they are stored: they keep how its turns stand, which averages cannot tell. */
export function toStoredAverages(averages: Scores, attempt: StatedAttempt): Scores {
  const standing = standingOfTurns(attempt);
  return { ...averages, [standingScore]: precedence.indexOf(standing) / precedence.length };
}

/** The outcome of an attempt by its stored averages. */
export function storedOutcome(averages: Scores, threshold: number | undefined): Outcome {
  const { [standingScore]: place, ...scores } = averages;
  const turns = place === undefined ? standingOfScores(scores) : precedence[place * precedence.length];
  return attemptOutcome(scores, { turns: turns ?? "silent", threshold });
}

interface OutcomeBasis {
  /** How the turns of the attempt stand together. */
  readonly turns: Standing;
  /** The minimum `overall` that the user has set; undefined where the statements decide. */
  readonly threshold: number | undefined;
}

/**
 * The outcome of a finished attempt by its averages. A `success` below 1 means that a turn got no reply. With a threshold of the user's
 * own, `overall` decides, or `outcome` where the scenario has `expect`. Otherwise everything that was stated has to hold. Similarity to
 * a reference decides nothing.
 */
export function attemptOutcome(scores: Scores, { turns, threshold }: OutcomeBasis): Outcome {
  const { success = 1, overall, outcome } = scores;
  if (scores[simulatedUserScore] === 0) return "simulator_failed";
  if (success < 1) return "errored";
  const expects = scores[expectationScore] !== undefined;
  const ofOutcome: Standing = !expects
    ? "silent"
    : outcome === undefined
      ? "undecided"
      : outcome === 1
        ? "held"
        : "broken";
  if (threshold === undefined) {
    const ofConversation = standingOfScores(
      Object.fromEntries(Object.entries(scores).filter(([name]) => name.startsWith("conversation_"))),
    );
    return outcomeOf(joinStandings([turns, ofOutcome, ofConversation]));
  }
  if (expects) return outcomeOf(ofOutcome);
  return overall === undefined ? "unscored" : reaches(overall, threshold) ? "passed" : "failed";
}

function outcomeOf(standing: Standing): Outcome {
  return standing === "held" ? "passed" : standing === "broken" ? "failed" : "unscored";
}

/** The outcome of a finished attempt with its turns. */
export function outcomeOfAttempt(
  attempt: Pick<AttemptResult, "average_scores"> & StatedAttempt,
  threshold: number | undefined,
): Outcome {
  return attemptOutcome(attempt.average_scores, { turns: standingOfTurns(attempt), threshold });
}

/** The outcome of one turn. */
export function turnOutcome(
  turn: StatedTurn & Pick<InteractionResult, "error">,
  threshold: number | undefined,
): Outcome {
  return turn.error ? "errored" : attemptOutcome(turn.scores, { turns: standingOf(turn), threshold });
}

/** The scores that made a turn fail without a threshold. */
export function brokenStatements({ stated = {} }: Partial<Pick<InteractionResult, "stated">>): string[] {
  return Object.keys(stated).filter((name) => stated[name] === false);
}

/** True when a turn has no `overall` because one of its scores failed. */
export function lacksOverall({ scores, failed_scores }: Pick<InteractionResult, "scores" | "failed_scores">): boolean {
  return failed_scores !== undefined && scores["overall"] === undefined;
}

/** False for waiting and unfinished attempts: their outcome is not known yet. */
export const isFailure = (outcome: Outcome | "waiting" | "unfinished"): boolean =>
  outcome === "failed" || outcome === "errored";

/** Minimum of a judge's score, and of `overall` where the run has weights and no threshold. */
export const defaultThreshold = 0.8;

/**
 * The minimum `overall` of an attempt that passes; undefined where the statements of the scenarios decide. Weights say what `overall`
 * is to decide, unless they only weigh similarities.
 */
export function passThreshold({ threshold, weights }: Pick<RunSettings, "threshold" | "weights">): number | undefined {
  if (threshold !== undefined) return threshold;
  const weighted = Object.entries(weights ?? {}).filter(([, weight]) => weight > 0);
  return weighted.some(([name]) => name !== "success" && !similarityScores.has(name)) ? defaultThreshold : undefined;
}

/** The similarity of replies to their references, from the scores of a turn or the means of several. */
export function similarityOf(scores: Scores): number | undefined {
  const hasOther = Object.keys(scores).some(
    (name) => statementScores.has(name) || judgeScores.has(name) || isOwnScore(name),
  );
  if (!hasOther) return scores["overall"];
  const found = replySimilarities.find((name) => scores[name] !== undefined);
  return found === undefined ? undefined : scores[found];
}

/** Similarities of degree, the best measure first. */
const replySimilarities = scoreFacts
  .filter(({ similarity, binary }) => similarity && !binary)
  .toSorted((left, right) => (left.replyRank ?? 0) - (right.replyRank ?? 0))
  .map(({ name }) => name);

/** Shown in place of a verdict where nothing decides: "similar 0.42, not judged". */
export function notJudgedText(scores: Scores): string {
  const similarity = similarityOf(scores);
  return similarity === undefined ? "not judged" : `similar ${formatFigure(similarity)}, not judged`;
}

/** How to get a verdict on replies that only have references. */
export const howToJudge =
  "Nothing says what a right reply is: add checks or expect to the scenarios, or a judge to the run, and score it again";

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

type RatedSummary = Pick<RunSummary, "scenarios" | "always_failing"> & Partial<Pick<RunSummary, "average_scores">>;

const unjudgedNote = (unscored: number, scores: Scores): string => `${count(unscored)} ${notJudgedText(scores)}`;

/** The pass rate of a run in words; null when no scenario has ended, or the counts are unknown. */
export function passRate({ scenarios, always_failing = [], average_scores = {} }: RatedSummary): PassRate | null {
  if (!scenarios) return null;
  if (judgedScenarios(scenarios) === 0) {
    if (scenarios.unscored === 0) return null;
    const waiting = scenarios.waiting > 0 ? [`${count(scenarios.waiting)} not finished`] : [];
    return { headline: "0 scenarios judged", notes: [unjudgedNote(scenarios.unscored, average_scores), ...waiting] };
  }
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
      ...(unscored > 0 ? [`${count(unscored)} not judged`] : []),
      ...(waiting > 0 ? [`${count(waiting)} not finished`] : []),
    ],
  };
}

/** The pass rate with its notes in parentheses. */
export function passRateText(summary: RatedSummary): string | null {
  const rate = passRate(summary);
  return rate && rate.headline + (rate.notes.length > 0 ? ` (${rate.notes.join(", ")})` : "");
}
