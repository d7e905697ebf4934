import { compact } from "../../base/compact.ts";
import type { z } from "zod";
import { turnId, type Interaction, type Scenario, type ScenarioInput } from "../../contract/schemas/scenario.ts";

type GivenInteraction = z.output<typeof ScenarioInput>;

interface ReadingOptions {
  /** True keeps replies and tool calls, which are the recorded ones. Default: they are dropped, as generated labels are. */
  readonly recorded?: boolean;
}

/** A scenario with every default filled in. */
export function scenarioFromInput(input: GivenInteraction, options: ReadingOptions = {}): Scenario {
  const interactions = input.interactions.map((turn, index) => interactionFromInput(turn, index, options));
  return { ...input, tags: input.tags ?? [], interactions };
}

export function interactionFromInput(
  { agent_reply, tool_calls, ...interaction }: GivenInteraction["interactions"][number],
  index: number,
  { recorded = false }: ReadingOptions = {},
): Interaction {
  return compact({
    ...interaction,
    id: turnId(interaction, index),
    agent_reply: recorded ? agent_reply : "",
    tool_calls: recorded && tool_calls ? tool_calls : undefined,
    generated_metadata: {},
    interaction_type: interaction.interaction_type ?? (index === 0 ? "opening" : "follow_up"),
  });
}
