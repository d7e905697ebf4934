import type { AttemptResult } from "../contract/evaluation-response.ts";
import type { InteractionResult } from "../contract/interaction-result.ts";
import { reaches } from "../contract/threshold.ts";

type Turn = Pick<InteractionResult, "id" | "turn_index" | "scores" | "error">;
export type FirstBadTurn = NonNullable<AttemptResult["first_bad_turn"]>;

/** Whether a turn is good: null when nothing says so (no reference, nothing to judge). */
export function isGood({ scores, error }: Pick<Turn, "scores" | "error">, threshold: number): boolean | null {
  if (error) return false;
  const overall = scores["overall"];
  return overall === undefined ? null : reaches(overall, threshold);
}

/** Where an attempt went wrong: the first turn without a reply, or whose `overall` is below the threshold. */
export function firstBadTurn(turns: readonly Turn[], threshold: number): FirstBadTurn | null {
  const bad = turns.find((turn) => isGood(turn, threshold) === false);
  return bad ? { turn_index: bad.turn_index, id: bad.id, overall: bad.scores["overall"] ?? null } : null;
}
