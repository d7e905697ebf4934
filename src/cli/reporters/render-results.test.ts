import { expect, test } from "vitest";
import { interactionResult, runResult, scenarioResult } from "../../formats/testing/run-result.ts";
import { runFromResults } from "./render-results.ts";

test("keeps the warnings of a run", () => {
  const warnings = [{ pointer: "/judge", message: "is not set" }];
  expect(runFromResults({ ...runResult([]), warnings }).warnings).toEqual(warnings);
});

test("does not count unfinished attempts as done", () => {
  const turn = interactionResult({ overall: 1 });
  const stopped = scenarioResult("stopped", [[turn], [turn], []]);
  const attempts = stopped.attempts.map((attempt, index) => (index === 1 ? { ...attempt, unfinished: true } : attempt));
  const { progress } = runFromResults(runResult([{ ...stopped, attempts }]));
  expect(progress).toMatchObject({ attempts_total: 3, attempts_done: 1 });
});
