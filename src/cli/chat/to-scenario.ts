import type { AgentMessages } from "../../client/create-agent-client.ts";
import type { FileInteraction, FileScenario } from "../../formats/scenario-file.ts";

/** A conversation as a scenario: what the agent said becomes the reference, to be edited where it was wrong. */
export function toScenario(messages: AgentMessages, now: Date = new Date()): FileScenario {
  const interactions: FileInteraction[] = [];
  for (const { type, content } of messages) {
    const last = interactions.at(-1);
    if (type === "human") interactions.push(turn(interactions.length + 1, content));
    else if (type === "ai" && last) interactions[interactions.length - 1] = { ...last, reference_reply: content };
  }
  const day = now.toISOString().slice(0, 19);
  return { id: `chat-${day.replaceAll(":", "")}`, description: `A conversation of ${day}Z.`, interactions };
}

function turn(number: number, user_message: string): FileInteraction {
  return {
    id: `turn-${number}`,
    user_message,
    agent_reply: "",
    reference_reply: "",
    reference_metadata: {},
    generated_metadata: {},
  };
}
