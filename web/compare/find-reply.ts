import type { EvaluationResponse } from "../../src/contract/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/interaction-result.ts";

export interface FoundReply {
  readonly turn: InteractionResult;
  readonly attempt: number;
  readonly attempts: number;
}

export interface WantedReply {
  readonly scenarioId: string;
  readonly interactionId: string;
  readonly score: string;
  /** Which attempt to show: a mean hides what changed, its best or worst attempt shows it. */
  readonly pick: "lowest" | "highest";
}

/** The reply of the attempt that scored lowest or highest. One without the score counts as the lowest. */
export function findReply(
  results: EvaluationResponse,
  { scenarioId, interactionId, score, pick }: WantedReply,
): FoundReply | null {
  const scenario = results.results.scenarios.find((entry) => entry.scenario_id === scenarioId);
  const replies = (scenario?.attempts ?? []).flatMap(({ attempt, interactions }) => {
    const turn = interactions.find(({ id }) => id === interactionId);
    return turn ? [{ turn, attempt }] : [];
  });
  const value = ({ turn }: { turn: InteractionResult }): number => turn.scores[score] ?? -1;
  const ordered = replies.toSorted((left, right) => value(left) - value(right));
  const found = pick === "lowest" ? ordered[0] : ordered.at(-1);
  return found ? { ...found, attempts: replies.length } : null;
}
