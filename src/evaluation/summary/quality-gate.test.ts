import { expect, test } from "vitest";
import { checkGate } from "./quality-gate.ts";
import { createRunFigures } from "./summarize-run.ts";
import { scoredTurn as turn } from "./testing/scored-turn.ts";

const nothingDone = {
  average_scores: {},
  scenarios: [],
  interactions: 0,
  failed: 0,
  unscored: 0,
  attempts: { counted: 0, passed: 0 },
  unfinished: [],
};

test("an empty run passes no gate", () => {
  expect(checkGate({}, nothingDone).passed).toBe(false);
});

test("replies unscored by a failing judge fail the gate, unless failures are allowed", () => {
  const figures = { ...nothingDone, average_scores: { overall: 0.9 }, interactions: 10, unscored: 2 };
  const gate = { scores: { overall: 0.8 } };
  expect(checkGate(gate, figures)).toMatchObject({
    passed: false,
    checks: [
      { name: "overall", passed: true },
      { name: "failure_rate", passed: true },
      { name: "unscored_rate", required: 0, actual: 0.2, passed: false },
    ],
  });
  expect(checkGate({ ...gate, max_failure_rate: 0.2 }, figures).passed).toBe(true);
});

test("a gate on an inherited property name is a gate on a missing score", () => {
  const scenarios = [{ scenario_id: "s", average_scores: {} }];
  const gate = { scores: { toString: 0 }, scenario_scores: { valueOf: 0 } };
  expect(checkGate(gate, { ...nothingDone, scenarios }).checks).toMatchObject([
    { name: "toString", actual: null, passed: false },
    {},
    { name: "valueOf", scenario_id: "s", actual: null, passed: false },
  ]);
});

test("checks each scenario and the pass rate; missing figures fail", () => {
  const scenarios = [
    { scenario_id: "good", average_scores: { x: 0.9 } },
    { scenario_id: "bad", average_scores: { x: 0.7 } },
    { scenario_id: "none", average_scores: {} },
  ];
  const figures = { ...nothingDone, scenarios, interactions: 3, attempts: { counted: 4, passed: 3 } };
  const gate = { scores: { overall: 0.1 }, scenario_scores: { x: 0.8 }, min_pass_rate: 0.75 };
  expect(checkGate(gate, figures)).toEqual({
    passed: false,
    checks: [
      { name: "overall", required: 0.1, actual: null, passed: false },
      { name: "pass_rate", required: 0.75, actual: 0.75, passed: true },
      { name: "failure_rate", required: 0, actual: 0, passed: true },
      { name: "x", scenario_id: "bad", required: 0.8, actual: 0.7, passed: false },
      { name: "x", scenario_id: "none", required: 0.8, actual: null, passed: false },
      { name: "x", scenario_id: "good", required: 0.8, actual: 0.9, passed: true },
    ],
  });
  expect(checkGate({ min_pass_rate: 0.76 }, figures).passed).toBe(false);
  const many = Array.from({ length: 60 }, (_, index) => ({ scenario_id: `${index}`, average_scores: {} }));
  const { checks } = checkGate({ scenario_scores: { x: 0.8 } }, { ...figures, scenarios: many });
  expect(checks).toHaveLength(1 + 50);
});

test("scenarios without a finished attempt fail the gate", () => {
  const figures = createRunFigures({ gate: { scores: { overall: 0.5 } } });
  for (const scenario of ["a", "b", "c"]) figures.expect(scenario);
  figures.add({ scenario: "a", interactions: [turn({ overall: 1 })], unfinished: true });
  figures.add({ scenario: "a", interactions: [turn({ overall: 1 })] });
  figures.add({ scenario: "b", interactions: [turn({ overall: 1 })], unfinished: true });
  const { gate } = figures.finish().summary;
  expect(gate?.checks.filter(({ passed }) => !passed)).toMatchObject([
    { name: "finished_attempts", scenario_id: "b" },
    { name: "finished_attempts", scenario_id: "c" },
  ]);
});

test("a reply that may be missing counts as 0", () => {
  const scenarios = [
    { scenario_id: "all", average_scores: { success: 1, overall: 0.9 } },
    { scenario_id: "half", average_scores: { success: 0.5, overall: 0.9 } },
    { scenario_id: "none", average_scores: { success: 0 } },
  ];
  const gate = { scores: { overall: 0.8, success: 0.5 }, scenario_scores: { overall: 0.4 }, max_failure_rate: 0.5 };
  const figures = {
    ...nothingDone,
    average_scores: { success: 0.5, overall: 0.9 },
    scenarios,
    interactions: 6,
    failed: 3,
  };
  expect(checkGate(gate, figures).checks).toMatchObject([
    { name: "overall", actual: expect.closeTo(0.45, 9), passed: false },
    { name: "success", actual: 0.5, passed: true },
    { name: "failure_rate", passed: true },
    { scenario_id: "none", actual: 0, passed: false },
    { scenario_id: "all", passed: true },
    { scenario_id: "half", actual: 0.45, passed: true },
  ]);
});
