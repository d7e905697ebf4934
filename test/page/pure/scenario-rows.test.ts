import { expect, test } from "vitest";
import { neighbourFailure } from "../../../web/transcript/failure-order.ts";
import { toScenarioRows } from "../../../web/run/scenario-rows.ts";
import { groupFailures } from "../../../web/run/failure-groups.ts";
import { makeResults } from "../support/make-results.ts";
import { nightly, refusedKey } from "../support/sample-runs.ts";

test("rows go from failing over flaky to passing, the worst first", () => {
  expect(toScenarioRows(nightly).map((row) => [row.scenario.scenario_id, row.status, row.passed])).toEqual([
    ["angry-customer", "failing", 0],
    ["refund-status", "flaky", 3],
    ["order/status ünïcode?", "flaky", 3],
    ["greeting", "passing", 5],
  ]);
});

test("a failed request is told apart from a poor reply, and a cell leads to the first failing turn", () => {
  const results = makeResults({
    id: "r",
    name: "r",
    scenarios: [
      {
        id: "s",
        attempts: [
          [{ overall: 0.9 }, { error: refusedKey }],
          [{ overall: 0.9 }, { overall: 0.1 }],
        ],
      },
    ],
  });
  expect(toScenarioRows(results)[0]?.cells.map(({ outcome, turn }) => ({ outcome, turn }))).toEqual([
    { outcome: "errored", turn: 1 },
    { outcome: "failed", turn: 1 },
  ]);
});

test("a scenario without references is neither passed nor failed", () => {
  const results = makeResults({ id: "r", name: "r", scenarios: [{ id: "s", attempts: [[{}]] }] });
  const attempt = results.results.scenarios[0]?.attempts[0];
  if (attempt) attempt.average_scores = { success: 1 };
  expect(toScenarioRows(results)[0]?.cells[0]).toMatchObject({ outcome: "unscored", overall: null });
});

test("the next failure goes round the whole run and back", () => {
  const rows = toScenarioRows(nightly);
  const from = { scenarioId: "refund-status", attempt: 5, turn: 0 };
  const next = neighbourFailure(rows, { from, step: 1 });
  expect(next).toMatchObject({ scenarioId: "order/status ünïcode?", attempt: 2, turn: 0 });
  expect(next && neighbourFailure(rows, { from: next, step: -1 })).toMatchObject(from);
  const last = { scenarioId: "order/status ünïcode?", attempt: 5, turn: 0 };
  expect(neighbourFailure(rows, { from: last, step: 1 })).toMatchObject({ scenarioId: "angry-customer", attempt: 1 });
});

test("a run without failures has no next one", () => {
  const results = makeResults({ id: "r", name: "r", scenarios: [{ id: "s", attempts: [[{ overall: 1 }]] }] });
  const from = { scenarioId: "s", attempt: 1, turn: 0 };
  expect(neighbourFailure(toScenarioRows(results), { from, step: 1 })).toBeNull();
});

test("failures are counted by cause and lead to the first", () => {
  expect(groupFailures(nightly)).toMatchObject([
    { code: "upstream_auth", count: 2, first: { scenarioId: "order/status ünïcode?", attempt: 2, turn: 0 } },
  ]);
});
