import type { Scenario } from "../../../src/contract/schemas/scenario.ts";

/** A scenario of the library, with every field a person may fill in. */
export const sampleScenario = {
  id: "refund",
  description: "A customer wants a refund",
  system_prompt: "You are a shop's support.",
  tags: ["support", "nightly"],
  interactions: [
    {
      id: "ask",
      user_message: "I want a refund for order 1234.",
      reference_reply: "I have started the refund.",
      references: ["The refund is on its way."],
      interaction_type: "opening",
      reference_metadata: { intent: "refund", urgent: true },
    },
    {
      id: "when",
      user_message: "When?",
      reference_reply: "Within 5 days.",
      interaction_type: "follow_up",
      reference_metadata: {},
    },
  ],
} as unknown as Scenario;

export const otherScenario: Scenario = {
  ...sampleScenario,
  id: "order/status ünïcode?",
  description: "Where is it?",
  tags: ["delivery"],
  interactions: sampleScenario.interactions.slice(1),
};

/** A library of both. */
export const scenarios = [sampleScenario, otherScenario];
