import { builtInScorers } from "./built-in-scorers.ts";

/** Names of the service's own scores: a check or a scorer of the same name would stand in their place. */
export const reservedNames: ReadonlySet<string> = new Set([
  "success",
  "overall",
  "semantic_similarity",
  "judge_correctness",
  "judge_rubrics",
  "conversation_quality",
  "conversation_rubrics",
  ...Object.keys(builtInScorers),
]);
