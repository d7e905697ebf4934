import type { ChangedInteraction } from "../../src/contract/schemas/comparison.ts";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";

interface StoredReply {
  readonly turn: InteractionResult;
  readonly attempt: number;
}

export interface FoundReply extends StoredReply {
  readonly attempts: number;
  /** Which of the attempts it is: a mean hides what changed, the best or worst attempt shows it. */
  readonly pick: "lowest" | "highest";
}

/** What came in each attempt where one interaction was asked. */
export function repliesTo(results: EvaluationResponse, change: ChangedInteraction): readonly StoredReply[] {
  const scenario = results.results.scenarios.find((entry) => entry.scenario_id === change.scenario_id);
  return (scenario?.attempts ?? []).flatMap(({ attempt, interactions }) => {
    const turn = interactions.find(({ id }) => id === change.interaction_id);
    return turn ? [{ turn, attempt }] : [];
  });
}

/** The reply of the attempt that scored lowest or highest. One without the score counts as the lowest. */
export function findReply(
  results: EvaluationResponse,
  change: ChangedInteraction,
  pick: FoundReply["pick"],
): FoundReply | null {
  const replies = repliesTo(results, change);
  const value = ({ turn }: StoredReply): number => turn.scores[change.score] ?? -1;
  const ordered = replies.toSorted((left, right) => value(left) - value(right));
  const found = pick === "lowest" ? ordered[0] : ordered.at(-1);
  return found ? { ...found, attempts: replies.length, pick } : null;
}
