import { expect, test } from "vitest";
import { ScenarioInput } from "../../../src/contract/schemas/scenario.ts";
import { scenarioChanges } from "../../../web/scenarios/scenario-changes.ts";
import { emptyTurn, fromDraft, nextTurnId, parseLabel, toDraft } from "../../../web/scenarios/edited-scenario.ts";
import { sampleScenario } from "../support/sample-scenarios.ts";

test("round-trips a scenario through the editor", () => {
  const draft = toDraft(sampleScenario);
  if (!draft) throw new Error("the sample is a scenario");
  expect(ScenarioInput.parse(fromDraft(draft))).toEqual(ScenarioInput.parse(sampleScenario));
});

test("keeps fields without a form control", () => {
  const scenario = {
    id: "a",
    locale: "de",
    interactions: [{ id: "1", user_message: "hi", reference_reply: "", weight: 2 }],
  };
  const draft = toDraft(scenario);
  expect(draft && fromDraft(draft)).toEqual(scenario);
});

test("keeps all checks, also those without a form control", () => {
  for (const checks of [
    [
      { type: "contains", text: "Hi" },
      { type: "length", max: 3 },
    ],
    [],
    "none",
    ["contains"],
  ]) {
    const scenario = { id: "a", interactions: [{ id: "1", user_message: "hi", reference_reply: "", checks }] };
    const draft = toDraft(scenario);
    const [turn] = draft ? fromDraft(draft).interactions : [];
    expect(turn?.checks).toEqual(checks.length === 0 ? undefined : checks);
  }
});

test("rejects JSON that is not a scenario", () => {
  for (const value of [null, [], {}, { id: "a" }, { interactions: "none" }, "text"]) expect(toDraft(value)).toBeNull();
});

test("does not send empty tags", () => {
  const draft = toDraft({ id: "a", tags: ["one ", ""], interactions: [{ id: "1", user_message: "hi" }] });
  expect(draft && fromDraft(draft).tags).toEqual(["one"]);
});

test("keeps the type of a label that is not text while its text parses", () => {
  expect([parseLabel("4", 3), parseLabel("true", false), parseLabel("[1]", [2]), parseLabel("4", "3")]).toEqual([
    4,
    true,
    [1],
    "4",
  ]);
  expect(parseLabel("some", 3)).toBe("some");
});

test("gives a new turn an unused id", () => {
  expect(nextTurnId([emptyTurn("turn-1"), emptyTurn("turn-3")])).toBe("turn-4");
});

test("lists changes field by field, with turns matched by id", () => {
  const [first] = sampleScenario.interactions;
  if (!first) throw new Error("the sample has turns");
  const later = {
    ...sampleScenario,
    description: "changed",
    system_prompt: "Be rude.",
    interactions: [
      { ...first, reference_reply: "Other words.", reference_metadata: { intent: "complaint" } },
      { ...first, id: "new" },
    ],
  };
  expect(scenarioChanges(sampleScenario, later).map((change) => change.place)).toEqual([
    "description",
    "system prompt",
    "turn when, removed",
    "turn ask, reference",
    "turn ask, labels",
    "turn new, added",
  ]);
  const turned = { ...sampleScenario, interactions: sampleScenario.interactions.toReversed() };
  expect(scenarioChanges(sampleScenario, turned).map((change) => change.place)).toEqual(["order of turns"]);
  expect(scenarioChanges(sampleScenario, sampleScenario)).toEqual([]);
});
