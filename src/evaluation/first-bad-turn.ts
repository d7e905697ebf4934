import type { AttemptResult } from "../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../contract/schemas/interaction-result.ts";
import { isFailure, turnOutcome } from "../contract/schemas/outcome.ts";

type Turn = Pick<InteractionResult, "id" | "turn_index" | "scores" | "error">;
export type FirstBadTurn = NonNullable<AttemptResult["first_bad_turn"]>;

/** Where an attempt went wrong: the first turn without a reply, or whose `overall` is below the threshold. */
export function firstBadTurn(turns: readonly Turn[], threshold: number): FirstBadTurn | null {
  const bad = turns.find((turn) => isFailure(turnOutcome(turn, threshold)));
  return bad ? { turn_index: bad.turn_index, id: bad.id, overall: bad.scores["overall"] ?? null } : null;
}
