import { expect, test } from "vitest";
import { interactionResult, runResult, scenarioResult } from "../../formats/testing/run-result.ts";
import { runOfResults } from "./run-of-results.ts";

test("what a run warned of is still told", () => {
  const warnings = [{ pointer: "/judge", message: "is not set" }];
  expect(runOfResults({ ...runResult([]), warnings }).warnings).toEqual(warnings);
});

test("attempts that were cut short or never begun are not done", () => {
  const turn = interactionResult({ overall: 1 });
  const stopped = scenarioResult("stopped", [[turn], [turn], []]);
  const attempts = stopped.attempts.map((attempt, index) => (index === 1 ? { ...attempt, unfinished: true } : attempt));
  const { progress } = runOfResults(runResult([{ ...stopped, attempts }]));
  expect(progress).toMatchObject({ attempts_total: 3, attempts_done: 1 });
});
