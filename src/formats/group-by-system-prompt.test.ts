import { expect, test } from "vitest";
import { groupBySystemPrompt } from "./group-by-system-prompt.ts";
import { importScenarios } from "./import-scenarios.ts";

test("scenarios share a request only with those of the same system prompt", () => {
  const line = (id: string, system?: string) =>
    JSON.stringify({ id, system_prompt: system, interactions: [{ user_message: "x" }] });
  const { scenarios } = importScenarios({ text: [line("a", "One"), line("b"), line("c", "One")].join("\n") });
  const groups = groupBySystemPrompt(scenarios);
  expect(groups.map(({ system_prompt, scenarios: members }) => [system_prompt, members.map(({ id }) => id)])).toEqual([
    ["One", ["a", "c"]],
    [undefined, ["b"]],
  ]);
  expect(groups[0]?.scenarios[0]).not.toHaveProperty("system_prompt");
});

test("an evaluation response gives its script back with the first attempt's replies", () => {
  const turn = { id: "q", user_message: "Hi", agent_reply: "Hello", reference_reply: "Hey", scores: { overall: 1 } };
  const text = JSON.stringify({
    message: "",
    results: { scenarios: [{ scenario_id: "s", attempts: [{ interactions: [turn] }, { interactions: [turn] }] }] },
  });
  const { format, scenarios, notes } = importScenarios({ text });
  expect(format).toBe("json");
  expect(scenarios).toMatchObject([
    { id: "s", interactions: [{ id: "q", agent_reply: "Hello", reference_reply: "Hey" }] },
  ]);
  expect(notes).toMatchObject([{ pointer: "/results/scenarios/0", message: "the replies of attempts 2 to 2" }]);
});
