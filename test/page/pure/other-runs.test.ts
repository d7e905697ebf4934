import { expect, test } from "vitest";
import type { Run } from "../../../src/contract/schemas/run.ts";
import { pickOtherRuns, replyOfRun } from "../../../web/transcript/other-runs.ts";
import { nightly } from "../support/sample-runs.ts";

const run = (run_id: string, model_id: string, state: Run["state"] = "completed") =>
  ({ run_id, model_id, state }) as Run;

test("of other runs the newest of each other model comes first, then older ones, six columns in all", () => {
  const here = run("here", "a");
  const runs = [
    run("a2", "a"),
    here,
    run("b-now", "b", "running"),
    run("b2", "b"),
    run("b1", "b"),
    run("c1", "c"),
    run("a1", "a"),
    run("a0", "a"),
  ];
  expect(pickOtherRuns(runs, here).map(({ run_id }) => run_id)).toEqual(["b2", "c1", "a2", "b1", "a1"]);
  expect(pickOtherRuns([here], here)).toEqual([]);
});

test("a run's reply, outcome and score are those of the same attempt", () => {
  const scenarioId = "refund-status";
  const found = replyOfRun(nightly, { scenarioId, turnId: "ask-refund", attempt: 2 });
  expect(found).toMatchObject({ attempt: 2, attempts: 5, outcome: "failed" });
  expect(found?.overall).toBe(0.41);
  expect(replyOfRun(nightly, { scenarioId, turnId: "ask-refund", attempt: 9 })?.attempt).toBe(1);
  expect(replyOfRun(nightly, { scenarioId, turnId: "other", attempt: 1 })).toBeNull();
});
