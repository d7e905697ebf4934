import type { StoredReply, StoredScores } from "../contract/schemas/interaction-result.ts";
import type { ConversationJudgement } from "../contract/schemas/judge.ts";
import { scoringVersion } from "../contract/schemas/score.ts";
import type { JudgeQuestion } from "../evaluation/judges/judge-question.ts";
import { success } from "../evaluation/scorers/built-in-scorers.ts";
import { publicErrorMessage } from "../evaluation/format.ts";

/** What is stored of a reply whose scoring broke: that the endpoint replied, and why nothing else is known. */
export function unscored(reply: StoredReply, error: unknown): StoredScores {
  const answered = success(reply);
  return {
    generated_metadata: {},
    label_sources: {},
    scores: { success: answered.value },
    score_reasons: { success: answered.reason, overall: reasonOf(error) },
    scoring_version: scoringVersion,
    failed_scores: ["overall"],
  };
}

/** The same for a whole conversation whose judging broke. */
export function unjudged(questions: readonly JudgeQuestion[], error: unknown): ConversationJudgement {
  return {
    scores: {},
    score_reasons: Object.fromEntries(questions.map(({ name }) => [name, reasonOf(error)])),
    judgements: {},
  };
}

function reasonOf(error: unknown): string {
  return `unscored: scoring broke: ${publicErrorMessage(error)}`;
}
