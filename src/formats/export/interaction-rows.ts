import type { AttemptResult, ScenarioResult } from "../../contract/evaluation-response.ts";
import type { InteractionResult } from "../../contract/interaction-result.ts";

export interface InteractionRow {
  readonly scenario_id: string;
  readonly attempt: number;
  readonly interaction: InteractionResult;
  /** With the last turn: what a judge said of the whole conversation. */
  readonly conversation?: AttemptResult["conversation"];
}

/** Every turn of every attempt, in the order they were run. */
export function interactionRows({ scenario_id, attempts }: ScenarioResult): InteractionRow[] {
  return attempts.flatMap(({ attempt, interactions, conversation }) =>
    interactions.map((interaction, index) => ({
      scenario_id,
      attempt,
      interaction,
      ...(conversation && index === interactions.length - 1 && { conversation }),
    })),
  );
}
