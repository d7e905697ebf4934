import { toPassages, type ContextPassage } from "../../contract/schemas/acting/context.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { Interaction } from "../../contract/schemas/scenario.ts";

/** The passages that the agent returned; where it returned none, those of the scenario. */
export const contextOf = (
  { context: given }: Pick<Interaction, "context">,
  { context }: Pick<StoredReply, "context">,
): readonly ContextPassage[] => context ?? toPassages(given);
