import "./required-node.ts";
import type { Metadata } from "./contract/schemas/scenario.ts";
import type { Score } from "./contract/schemas/scores/score.ts";
import { referenceReplies } from "./evaluation/conversation/conversation.ts";
import { builtInScorers, defaultScorers, type ScorerName } from "./scoring/scorers/scores.ts";
import type { Scorer } from "./scoring/scorers/scorer.ts";
import { prepareText } from "./scoring/text/prepare-text.ts";

export { builtInScorers, defaultScorers, type ScorerName } from "./scoring/scorers/scores.ts";
export type { Scorer, ScorerInput } from "./scoring/scorers/scorer.ts";
export { prepareText, type PreparedText } from "./scoring/text/prepare-text.ts";
export type { Score } from "./contract/schemas/scores/score.ts";

/** Scores one reply as a run does: labels, scores, checks, conflicts and verdicts together. */
export { scoreInteraction, type ScoreInteractionOptions } from "./evaluation/score-interaction.ts";
export { createScoring, type Scoring, type ScoringOptions } from "./evaluation/scoring.ts";

export { createCheck } from "./evaluation/checks/create-checks.ts";
export type { CustomScorer, CustomScorers } from "./evaluation/scorers/custom-scorer.ts";
export { overall, type OverallOptions } from "./scoring/scorers/overall.ts";
export { findConflicts } from "./evaluation/conflicts/find-conflicts.ts";
export { createSemanticScorer } from "./evaluation/scorers/semantic-similarity.ts";
export type { SemanticScorer } from "./scoring/scorers/semantic-similarity.ts";

export { evaluateOutcome, type EvaluatedOutcome, type OutcomeInput } from "./evaluation/outcomes/outcome.ts";
export { scoreCalls, type ScoreCallsOptions } from "./evaluation/tools/score-calls.ts";

export { labelCandidates, type LabelCandidates } from "./evaluation/labels/label-candidates.ts";
export type { LabelAnswer, Labeller, LabelQuestion } from "./evaluation/labels/labels.ts";
export { createLocalLabeller } from "./evaluation/labels/local-labeller.ts";
export { createModelLabeller, type ModelLabeller } from "./evaluation/labels/model-labeller.ts";

export type { Judge } from "./evaluation/judges/ask-judge.ts";
export { auditJudge, type AuditOptions } from "./evaluation/judges/audit-judge.ts";
export { judgePair, type PairJudgement, type PairToJudge } from "./evaluation/judges/judge-pair.ts";
export type { JudgedTurn } from "./evaluation/judges/judge-material.ts";
export { judgeQuestions, type JudgeQuestion } from "./evaluation/judges/judge-question.ts";
export { judgeConversation, judgeTurn, type TurnJudgement } from "./evaluation/judges/judge-replies.ts";

export interface ReplyToScore {
  readonly reply: string;
  /** One acceptable reply, or several: the best one counts. An empty string means none; an empty entry of a list means that an empty reply is right. */
  readonly reference?: string | readonly string[];
  readonly reference_metadata?: Metadata;
  readonly generated_metadata?: Metadata;
  /** Names of built-in scorers, or your own scorers. Default: the scorers of a run. */
  readonly scorers?: readonly (ScorerName | Scorer)[];
}

/**
 * Scores one reply without a service, exactly as a run does.
 *
 * @example
 * ```ts
 * scoreReply({ reply: "It takes 5 days.", reference: "5 days" });
 * ```
 */
export function scoreReply({
  reply,
  reference = [],
  reference_metadata = {},
  generated_metadata = {},
  scorers = defaultScorers,
}: ReplyToScore): Score[] {
  const input = {
    reply: prepareText(reply),
    references: referencesOf(reference).map(prepareText),
    generated_metadata,
    reference_metadata,
    unjudged_keys: new Set(Object.keys(reference_metadata).filter((key) => !Object.hasOwn(generated_metadata, key))),
    call: { latency_ms: 0, first_token_ms: null, cost: null },
  };
  return scorers.flatMap((scorer) => (typeof scorer === "string" ? builtInScorers[scorer] : scorer)(input));
}

/** A string is treated like `reference_reply` of a scenario, a list like `references`. */
function referencesOf(reference: string | readonly string[]): readonly string[] {
  return typeof reference === "string" ? referenceReplies({ reference_reply: reference }) : reference;
}
