import type { ChangedInteraction, RunComparison } from "../../src/contract/schemas/comparison.ts";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";

export const changeStyles = {
  worse: { mark: "▼", className: "text-bad" },
  better: { mark: "▲", className: "text-good" },
  alike: { mark: "≈", className: "text-soft" },
} as const;

/** Smaller differences are shown, but neither as a gain nor as a loss. */
const visibleDifference = 0.005;

export function changeDirection({ difference }: { readonly difference: number }): keyof typeof changeStyles {
  if (Math.abs(difference) < visibleDifference) return "alike";
  return difference < 0 ? "worse" : "better";
}

/** Counts the turns that got worse and better, without changes too small to be visible. */
export function countChanges({ changed, regressions, improvements }: RunComparison): { worse: number; better: number } {
  const tiny = changed.filter((change) => changeDirection(change) === "alike");
  const tinyWorse = tiny.filter(({ difference }) => difference < 0).length;
  return { worse: regressions - tinyWorse, better: improvements - (tiny.length - tinyWorse) };
}

interface ComparedReply {
  readonly turn: InteractionResult;
  readonly attempt: number;
}

export interface FoundReply extends ComparedReply {
  readonly attempts: number;
  /** The best or the worst attempt: it shows the change that a mean hides. */
  readonly pick: "lowest" | "highest";
}

/** The replies to one interaction, one per attempt. */
export function repliesTo(results: EvaluationResponse, change: ChangedInteraction): readonly ComparedReply[] {
  const scenario = results.results.scenarios.find((entry) => entry.scenario_id === change.scenario_id);
  return (scenario?.attempts ?? []).flatMap(({ attempt, interactions }) => {
    const turn = interactions.find(({ id }) => id === change.interaction_id);
    return turn ? [{ turn, attempt }] : [];
  });
}

/** The reply with the lowest or highest score. A missing score counts as the lowest. */
export function findReply(
  results: EvaluationResponse,
  change: ChangedInteraction,
  pick: FoundReply["pick"],
): FoundReply | null {
  const replies = repliesTo(results, change);
  const value = ({ turn }: ComparedReply): number => turn.scores[change.score] ?? -1;
  const ordered = replies.toSorted((left, right) => value(left) - value(right));
  const found = pick === "lowest" ? ordered[0] : ordered.at(-1);
  return found ? { ...found, attempts: replies.length, pick } : null;
}
