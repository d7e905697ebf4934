/** Names of the service's own scores, in whose place a check or a scorer would stand, and those that are found in any object. */
export const reservedScores: ReadonlySet<string> = new Set([
  "success",
  "overall",
  "exact_match",
  "token_f1",
  "rouge_l",
  "edit_similarity",
  "chrf",
  "metadata_match",
  "semantic_similarity",
  "judge_correctness",
  "judge_rubrics",
  "conversation_quality",
  "conversation_rubrics",
  ...Object.getOwnPropertyNames(Object.prototype),
]);

/** How the names of labels' and rubrics' scores begin: those depend on the scenarios, so none of them is left to a check. */
export const reservedPrefixes = ["metadata.", "judge.", "conversation."] as const;
