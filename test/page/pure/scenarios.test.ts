import { expect, test } from "vitest";
import { ScenarioInput, type Scenario } from "../../../src/contract/schemas/scenario.ts";
import { TurnCheck } from "../../../src/contract/schemas/scores/scorer-setting.ts";
import { checkForms } from "../../../src/contract/schemas/scores/checks.data.ts";
import {
  changedPointers,
  expectedKinds,
  isSimpleSchema,
  jsonKind,
  renameField,
  textOfValue,
  valueOfKind,
  writtenKinds,
} from "../../../web/scenarios/json-edits.ts";
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

const agent = {
  id: "cancel",
  description: "Cancels an order",
  world: {
    state: { orders: { "1042": { status: "paid", total: 25 } } },
    tools: [
      {
        name: "cancel_order",
        description: "",
        parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] },
        answers: [
          { when: { order_id: { $regex: "^1" } }, set: { "/orders/{order_id}/status": "cancelled" }, delay_ms: 5 },
          { error: "No such order." },
        ],
      },
    ],
    max_steps: 5,
  },
  tool_matching: { extra: "forbid" },
  interactions: [
    {
      id: "1",
      user_message: "Cancel it",
      reference_reply: "",
      reference_tool_calls: [{ name: "cancel_order", arguments: { order_id: { $one_of: ["1042", 1042] } } }],
    },
    { id: "2", user_message: "Bye", reference_reply: "", reference_tool_calls: [] },
  ],
  expect: { state: { "/orders/1042/status": "cancelled" }, state_after: [], max_calls: { cancel_order: 1 } },
};

test("a scenario of an agent goes through the editor unchanged", () => {
  const draft = toDraft(agent);
  expect(draft && fromDraft(draft)).toEqual(agent);
  expect(draft && Object.keys(fromDraft(draft))).toEqual(Object.keys(agent));
  const changes = scenarioChanges(
    { tags: [], ...ScenarioInput.parse(agent) } as unknown as Scenario,
    { tags: [], ...ScenarioInput.parse({ ...agent, expect: { said: ["done"] } }) } as unknown as Scenario,
  );
  expect(changes.map(({ place }) => place)).toEqual(["expected outcome"]);
});

test("parts of an agent's scenario that the form cannot show are kept for the service to refuse", () => {
  const odd = {
    ...agent,
    world: "none",
    expect: [1],
    interactions: [{ ...agent.interactions[0], reference_tool_calls: ["x"] }],
  };
  const draft = toDraft(odd);
  expect(draft && fromDraft(draft)).toEqual(odd);
});

test("a value keeps its form, and another form takes over its text", () => {
  const kinds = [
    "1042",
    5,
    null,
    { $text: "a" },
    { $regex: "a" },
    { $contains: "a" },
    { $contains: ["a"] },
    { $one_of: ["a", "b"] },
    { $one_of: ["a", 1] },
    { $number: { value: 1, tolerance: 2 } },
    { $number: { value: "1" } },
    { $schema: {} },
    { $any: true },
    { $absent: true },
    { $literal: 1 },
    { order: 1 },
    { $argument: "id" },
  ].map((value) => jsonKind(value, expectedKinds));
  expect(kinds.join(" ")).toBe(
    "text json json any_case pattern contains json one_of json near json schema any absent json json json",
  );
  expect(jsonKind({ $argument: "id" }, writtenKinds)).toBe("argument");
  const forms = (["text", "pattern", "one_of", "near", "json", "any"] as const).map((kind) =>
    valueOfKind(kind, textOfValue({ $text: "12\n13" })),
  );
  expect(forms).toEqual([
    "12\n13",
    { $regex: "12\n13" },
    { $one_of: ["12", "13"] },
    { $number: { value: 0, tolerance: 0 } },
    null,
    { $any: true },
  ]);
});

test("an edit names the places that it changed, and nothing else", () => {
  const before = { tools: [{ name: "a", answers: [{}] }, { name: "b" }], state: { "x/y": 1 } };
  const after = { ...before, tools: before.tools.with(0, { name: "c", answers: before.tools[0]?.answers ?? [] }) };
  expect(changedPointers(before, after, ["world"])).toEqual(["/world/tools/0/name"]);
  expect(changedPointers(before, { ...before, state: { "x/y": 2 } })).toEqual(["/state/x~1y"]);
  expect(changedPointers(before, before)).toEqual([]);
  expect(renameField({ a: 1, b: 2 }, "a", "c")).toEqual({ c: 1, b: 2 });
});

test("parameters are shown as rows only where rows can hold all of them", () => {
  const simple = { type: "object", properties: { id: { type: "string", description: "x" } }, required: ["id"] };
  expect(isSimpleSchema(simple)).toBe(true);
  for (const schema of [
    { ...simple, additionalProperties: false },
    { ...simple, properties: { id: { type: "string", enum: ["a"] } } },
    { type: "array" },
    null,
  ])
    expect(isSimpleSchema(schema)).toBe(false);
});

test("every type of check that may come over HTTP has a form", () => {
  const fromFiles = new Set(["javascript", "python"]);
  const options = TurnCheck.options.filter((option) => !fromFiles.has(option.shape.type.value));
  expect(Object.keys(checkForms).toSorted()).toEqual(options.map((option) => option.shape.type.value).toSorted());
  for (const option of options) {
    const known = Object.keys(checkForms[option.shape.type.value]?.options ?? {});
    const fields = Object.keys(option.shape).filter((name) => !["type", "name", "transform"].includes(name));
    expect(known.toSorted()).toEqual(fields.toSorted());
  }
});
