import type { StoredReply, StoredScores } from "../contract/interaction-result.ts";
import { scoringVersion } from "../contract/score.ts";
import { success } from "../evaluation/scorers/success.ts";
import { errorLine } from "./error-line.ts";

/** What is stored of a reply whose scoring broke: that the endpoint replied, and why nothing else is known. */
export function unscored(reply: StoredReply, error: unknown): StoredScores {
  const answered = success(reply);
  return {
    generated_metadata: {},
    label_sources: {},
    scores: { success: answered.value },
    score_reasons: { success: answered.reason, overall: `unscored: scoring broke: ${errorLine(error)}` },
    scoring_version: scoringVersion,
  };
}
