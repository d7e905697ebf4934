import type { AttemptResult } from "../../src/contract/schemas/evaluation-response.ts";
import { attemptOutcome, type Outcome } from "../../src/contract/schemas/outcome.ts";

/**
 * `waiting`: none of its turns is stored, because it has not begun or its run was stopped before. `unfinished`: some are, so it
 * says nothing yet.
 */
export type AttemptOutcome = Outcome | "waiting" | "unfinished";

/** An attempt passes by its average; a turn without a reply is told apart from a poor reply. */
export function judgeAttempt(attempt: AttemptResult, threshold: number): AttemptOutcome {
  if (attempt.interactions.length === 0) return "waiting";
  if (attempt.unfinished) return "unfinished";
  if (attempt.interactions.some((turn) => turn.error)) return "errored";
  return attemptOutcome(attempt.average_scores, threshold);
}
