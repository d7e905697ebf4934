import { expect, test } from "vitest";
import { ScenarioInput } from "../../contract/schemas/scenario.ts";
import { readExpectations } from "./expectations.ts";
import { runScoreNames } from "./score-names.ts";
import { scenarioFromInput } from "./to-scenario.ts";

const labelled = { reference_metadata: { intent: "refund" } };
const long = { reference_reply: "It takes five days until the money is there." };

function names(turn: object, settings: Parameters<typeof runScoreNames>[0] = {}, semantic = true): string[] {
  const interaction = { id: "1", user_message: "When?", interaction_type: "turn", ...turn };
  const scenario = scenarioFromInput(ScenarioInput.parse({ id: "a", interactions: [interaction] }));
  const sources = { expectations: readExpectations([scenario]), customScorers: ["tone"], semantic };
  return [...runScoreNames(settings, sources)];
}

/** Scores that depend on what the agent does. */
const ofReplies = ["grounded_facts", "claimed_actions", "context_overlap"];

test("a score needs what its scorer needs", () => {
  expect(names({})).toEqual(["overall", "success", ...ofReplies, "tone"]);
  expect(names({ reference_reply: "5 days" })).toEqual(expect.arrayContaining(["word_recall", "semantic_similarity"]));
  expect(names(long)).not.toContain("word_recall");
  expect(names(long, {}, false)).not.toContain("semantic_similarity");
  expect(names({ references: ["5 days", long.reference_reply] })).not.toContain("word_recall");
  expect(names(long, { scorers: ["edit_similarity"] })).toEqual(["overall", "success", "edit_similarity"]);
});

test("a label that a rule ignores has no score", () => {
  const ignored = { intent: { ignore: true } };
  expect(names(labelled)).toEqual(expect.arrayContaining(["metadata_match", "metadata.intent"]));
  expect(names(labelled, { label_rules: ignored })).toEqual(["overall", "success", ...ofReplies, "tone"]);
});
