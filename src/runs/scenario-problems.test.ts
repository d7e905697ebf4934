import { expect, test } from "vitest";
import { ScenarioInput } from "../contract/scenario.ts";
import { scenarioProblems } from "./scenario-problems.ts";
import { planLimits } from "./testing/run-bench.ts";

const rules = { limits: planLimits, helpers: {} };
const checkedFor = (pattern: string, index = 0) =>
  ScenarioInput.parse({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: "Hi", checks: [{ type: "regex", pattern }] }],
  });

test("each scenario has its own problems, from itself on", () => {
  const [none, one] = scenarioProblems([checkedFor("a"), checkedFor("(", 1)], rules);
  expect(none).toEqual([]);
  expect(one).toMatchObject([{ pointer: "/interactions/0/checks/0/pattern", code: "pattern_unsupported" }]);
});

test("checks that take long together are tried only by whoever has the time", () => {
  const many = Array.from({ length: 100 }, (_, index) => checkedFor(`a{100}${index}(`, index));
  expect(scenarioProblems(many, rules).flat()).toEqual([]);
  expect(scenarioProblems(many, { ...rules, patient: true }).flat()).toHaveLength(100);
});
