import { expect, test } from "vitest";
import { exportScenarioYaml } from "../export/scenarios/rehearsal.ts";
import { importScenarios } from "../import-scenarios.ts";

const file = `
id: cancel
world:
  state: { orders: { "1042": { status: paid } } }
  tools:
    - name: cancel_order
      parameters: { type: object }
      answers: [{ set: { /orders/1042/status: cancelled }, reslt: 1 }]
tool_matching: { order: strict }
interactions:
  - id: a
    user_message: Please cancel order 1042.
    reference_tool_calls: [{ name: cancel_order }]
expect: { state: { /orders/1042/status: cancelled }, sad: [x] }
`;

test("scenario files carry worlds, reference calls and expected outcomes, both ways", () => {
  const { scenarios, notes } = importScenarios({ text: file, name: "cancel.yaml" });
  expect(scenarios[0]).toMatchObject({
    world: { state: { orders: { "1042": { status: "paid" } } }, tools: [{ name: "cancel_order" }] },
    tool_matching: { order: "strict" },
    interactions: [{ reference_tool_calls: [{ name: "cancel_order" }] }],
    expect: { state: { "/orders/1042/status": "cancelled" } },
  });
  expect(notes.map(({ pointer, message }) => `${pointer} ${message}`)).toEqual([
    "/world/tools/0/answers/0 unknown fields: reslt (did you mean result?)",
    "/expect unknown fields: sad (did you mean said?)",
  ]);
  const { text } = exportScenarioYaml(scenarios);
  expect(importScenarios({ text, name: "again.yaml" })).toMatchObject({ scenarios, notes: [] });
});

test("a scenario with a broken world is dropped with the place", () => {
  const { scenarios, notes } = importScenarios({
    text: file.replace("name: cancel_order\n", "name: 7\n"),
    name: "a.yaml",
  });
  expect(scenarios).toEqual([]);
  expect(notes.map(({ pointer }) => pointer)).toContain("/world/tools/0/name");
});

test("a scenario with a simulated user needs no turns, and keeps its user in files", () => {
  const text = "id: ask\nuser: { goal: Cancel order 1042., knows: { order_id: 1042 }, max_turn: 3 }\n";
  const { scenarios, notes } = importScenarios({ text, name: "ask.yaml" });
  expect(scenarios).toMatchObject([
    { id: "ask", interactions: [], user: { goal: "Cancel order 1042.", knows: { order_id: 1042 }, max_turns: 10 } },
  ]);
  expect(notes.map(({ message }) => message)).toEqual(["unknown fields: max_turn (did you mean max_turns?)"]);
  for (const written of [exportScenarioYaml(scenarios).text, JSON.stringify(scenarios)]) {
    expect(importScenarios({ text: written })).toMatchObject({ scenarios, notes: [] });
  }
});
