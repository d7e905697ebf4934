import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { NewTurn, StoredInteraction } from "../../contract/ports/store.ts";

/**
 * An attempt may go through its turns twice: once for its figures, and once more with reference history (`history: "both"`, or
 * the replay of a bad attempt). Both passes belong to one attempt row; turn t of the second pass of a scenario with n turns has
 * the index n + t. See docs/decisions/0005-two-passes-in-one-attempt.md.
 */
interface Passes {
  readonly first: readonly StoredInteraction[];
  /** With the indexes of the scenario's turns. */
  readonly second: readonly StoredInteraction[];
}

export function toPasses(interactions: readonly StoredInteraction[], turns: number): Passes {
  return {
    first: interactions.filter(({ turn_index }) => turn_index < turns),
    second: interactions
      .filter(({ turn_index }) => turn_index >= turns)
      .map((interaction) => ({ ...interaction, turn_index: interaction.turn_index - turns })),
  };
}

/** The kind of replies the model sees in the first pass. */
export function firstHistory({ history }: Pick<RunSettings, "history">): "generated" | "reference" {
  return history === "reference" ? "reference" : "generated";
}

/** The pass of a turn with this index. */
export function passOf(
  index: number,
  { turns, settings }: { turns: number; settings: Pick<RunSettings, "history"> },
): NonNullable<NewTurn["pass"]> {
  if (index < turns) return "first";
  return plannedPasses(settings) > 1 ? "second" : "replay";
}

/** The number of planned calls per turn. Replays are not planned, since they depend on failures. */
export function plannedPasses({ history }: Pick<RunSettings, "history">): number {
  return history === "both" ? 2 : 1;
}
