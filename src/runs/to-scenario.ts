import type { z } from "zod";
import type { Scenario, ScenarioInput } from "../contract/schemas/scenario.ts";

/** A scenario with every default filled in; what the caller sent as reply or generated labels is not kept. */
export function toScenario(input: z.output<typeof ScenarioInput>): Scenario {
  return {
    ...input,
    tags: input.tags ?? [],
    interactions: input.interactions.map((interaction, index) => ({
      ...interaction,
      agent_reply: "",
      generated_metadata: {},
      interaction_type: interaction.interaction_type ?? (index === 0 ? "opening" : "follow_up"),
    })),
  };
}
