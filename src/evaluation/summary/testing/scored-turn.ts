import type { Scores } from "../../../contract/schemas/scores/score.ts";
import type { ScoredInteraction } from "../score-averages.ts";

/** A turn with these scores and nothing else to tell. */
export const scoredTurn = (scores: Scores, turn_index = 0): ScoredInteraction => ({
  scores,
  turn_index,
  interaction_type: "opening",
  reference_metadata: {},
  generated_metadata: {},
  error: null,
  usage: null,
});
