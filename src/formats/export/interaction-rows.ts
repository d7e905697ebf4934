import type { AttemptResult } from "../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../contract/schemas/interaction-result.ts";

export interface InteractionRow {
  readonly scenario_id: string;
  readonly attempt: number;
  readonly interaction: InteractionResult;
  /** With the last turn: what a judge said of the whole conversation. */
  readonly conversation?: AttemptResult["conversation"];
}

/** Every turn of an attempt. */
export function interactionRows(
  scenario_id: string,
  { attempt, interactions, conversation }: AttemptResult,
): InteractionRow[] {
  return interactions.map((interaction, index) => ({
    scenario_id,
    attempt,
    interaction,
    ...(conversation && index === interactions.length - 1 && { conversation }),
  }));
}
