import { RE2JS } from "re2js";
import { expect, test, vi } from "vitest";
import { ScenarioInput } from "../../contract/schemas/scenario.ts";
import { scenarioProblems } from "./batch-problems.ts";
import { planLimits } from "../../../test/support/run-bench.ts";

const rules = { limits: planLimits, helpers: {} };
const checkedFor = (pattern: string, index = 0) =>
  ScenarioInput.parse({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: "Hi", checks: [{ type: "regex", pattern }] }],
  });

test("reports problems per scenario, with pointers relative to it", () => {
  const [none, one] = scenarioProblems([checkedFor("a"), checkedFor("(", 1)], rules);
  expect(none).toEqual([]);
  expect(one).toMatchObject([{ pointer: "/interactions/0/checks/0/pattern", code: "pattern_unsupported" }]);
});

test("compiles slow checks only when patient", () => {
  const many = Array.from({ length: 100 }, (_, index) => checkedFor(`a{100}${index}(`, index));
  expect(scenarioProblems(many, rules).flat()).toEqual([]);
  expect(scenarioProblems(many, { ...rules, patient: true }).flat()).toHaveLength(100);
});

test("reports a shared check for each scenario, and sums patterns per scenario", () => {
  const long = ["a{900}".repeat(60), "b{900}".repeat(60)];
  const several = (...patterns: string[]) =>
    ScenarioInput.parse({
      id: "several",
      interactions: [{ id: "1", user_message: "Hi", checks: patterns.map((pattern) => ({ type: "regex", pattern })) }],
    });
  const scenarios = [...long.map((pattern) => several(pattern)), several(...long), several("("), several("a", "(")];
  expect(scenarioProblems(scenarios, { ...rules, patient: true })).toMatchObject([
    [],
    [],
    [{ pointer: "/interactions/0/checks/1/pattern", message: expect.stringContaining("too large together") as string }],
    [{ pointer: "/interactions/0/checks/0/pattern" }],
    [{ pointer: "/interactions/0/checks/1/pattern" }],
  ]);
});

test("compiles a pattern shared by a hundred scenarios once", () => {
  using compile = vi.spyOn(RE2JS, "compile");
  const many = Array.from({ length: 100 }, (_, index) => checkedFor("a+", index));
  expect(scenarioProblems(many, { ...rules, patient: true }).flat()).toEqual([]);
  expect(compile).toHaveBeenCalledOnce();
});
