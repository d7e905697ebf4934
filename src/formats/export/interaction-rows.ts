import type { ScenarioResult } from "../../contract/evaluation-response.ts";
import type { InteractionResult } from "../../contract/interaction-result.ts";

export interface InteractionRow {
  readonly scenario_id: string;
  readonly attempt: number;
  readonly interaction: InteractionResult;
}

/** Every turn of every attempt, in the order they were run. */
export function interactionRows({ scenario_id, attempts }: ScenarioResult): InteractionRow[] {
  return attempts.flatMap(({ attempt, interactions }) =>
    interactions.map((interaction) => ({ scenario_id, attempt, interaction })),
  );
}
