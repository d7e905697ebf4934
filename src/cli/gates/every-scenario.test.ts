import { expect, test } from "vitest";
import type { ScenarioDigest } from "../../formats/export/results/run-digest.ts";
import { evaluateScenarios } from "./every-scenario.ts";

type Outcome = ScenarioDigest["verdict"]["outcome"];

/** `counted` 0: no attempt has a verdict. */
function scenario(outcome: Outcome, { expects = true, hasOutcome = true, counted = 1 } = {}): ScenarioDigest {
  const isOpen = ["unscored", "simulator_failed", "not_run"].includes(outcome);
  const verdict = { outcome, threshold: 0.8, passed: 0, counted: isOpen ? 0 : counted, run: 1, planned: 1 };
  return { scenario_id: outcome, average_scores: {}, score_stats: {}, verdict, expects, hasOutcome } as ScenarioDigest;
}
const check = (...scenarios: ScenarioDigest[]) => evaluateScenarios({ scenarios });
const spoiled = scenario("simulator_failed", { expects: false, hasOutcome: false });
const silent = scenario("unscored", { expects: false, hasOutcome: false });

test("passes when every scenario that expects something passed", () => {
  expect(check(scenario("passed"), silent)).toEqual({
    gate: "every scenario passes",
    passed: true,
    actual: 1,
    message: "every scenario passes: 1 of 1 do, passed. Not scored, without an expectation: 1 scenario.",
  });
});

test("fails when one did not, also beside undecided ones", () => {
  expect(check(scenario("passed"), scenario("failed"), scenario("unscored"))).toMatchObject({
    passed: false,
    message: "every scenario passes: 1 of 3 do, failed. Did not pass: failed.",
  });
  expect(check(scenario("error")).undecided).toBeUndefined();
});

test.each([
  ["an expectation that could not be decided", [scenario("passed"), scenario("unscored")]],
  ["a failed judge", [scenario("passed"), scenario("error", { counted: 0 })]],
  ["a simulated user that failed", [scenario("passed"), scenario("simulator_failed")]],
  ["one that failed in every attempt, so that none has an outcome", [scenario("passed"), spoiled]],
  ["a scenario that was not run", [scenario("passed"), scenario("not_run", { expects: false })]],
  ["nothing that expects something", [silent, silent]],
  ["no scenario", []],
])("is undecided with %s", (_name, scenarios) => {
  expect(check(...scenarios)).toMatchObject({ passed: false, undecided: true });
});

test("says that a reference reply alone decides nothing", () => {
  const compared = scenario("unscored", { hasOutcome: false });
  expect(check(compared).message).toContain(
    "Without a verdict: unscored. A reference reply alone, or a rubric without a judge, decides nothing",
  );
  expect(check(scenario("unscored")).message).not.toContain("reference reply");
});
