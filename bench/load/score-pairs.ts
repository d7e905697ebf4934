import type { Interaction, Scenario } from "../../src/contract/schemas/scenario.ts";
import type { StoredReply } from "../../src/contract/schemas/interaction-result.ts";
import { labelCandidates } from "../../src/evaluation/labels/label-candidates.ts";
import { scoreInteraction } from "../../src/evaluation/score-interaction.ts";
import { createScoring } from "../../src/evaluation/scoring.ts";
import { makeText } from "../fake-model/behaviour.ts";

/** Scores so many pairs of so many words with the whole default set, labels among it. Prints what it took as JSON. */

const [pairs = 1_000, words = 100] = process.argv.slice(2).map(Number);
const intents = ["order status", "refund", "complaint"];
const sentiments = ["positive", "neutral", "negative"];

const interactions = Array.from({ length: pairs }, (_, index): Interaction => ({
  id: `turn-${index}`,
  user_message: "Where is my order?",
  agent_reply: "",
  reference_reply: makeText(words, index),
  interaction_type: "opening",
  reference_metadata: { intent: intents[index % 3] ?? "", sentiment: sentiments[index % 3] ?? "" },
  generated_metadata: {},
}));
const scenario: Scenario = { id: "pairs", description: "", tags: [], interactions };
const scoring = createScoring({ candidates: labelCandidates([scenario]) });

function replyTo(index: number): StoredReply {
  return {
    agent_reply: makeText(words, index * 31 + 7),
    error: null,
    usage: null,
    latency_ms: 1,
    first_token_ms: null,
    tries: 1,
    finish_reason: "stop",
    model: "fake",
    system_fingerprint: null,
    endpoint_metadata: null,
  };
}

// Made beforehand: what is measured is scoring, not the making of texts.
const answered = interactions.map((interaction, index) => ({ interaction, reply: replyTo(index) }));
const began = performance.now();
const used = process.cpuUsage();
for (const { interaction, reply } of answered) {
  const { scores } = await scoreInteraction({ interaction, reply, scoring });
  if (scores["token_f1"] === undefined) throw new Error("A pair has no score");
}
const { user, system } = process.cpuUsage(used);
process.stdout.write(
  `${JSON.stringify({ cpuSeconds: (user + system) / 1e6, wallSeconds: (performance.now() - began) / 1000 })}\n`,
);
