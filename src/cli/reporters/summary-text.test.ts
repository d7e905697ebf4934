import { expect, test } from "vitest";
import { interactionResult, runResult, scenarioResult } from "../../formats/testing/run-result.ts";
import { digestResults } from "../../formats/export/results/run-digest.ts";
import { noStyle } from "../terminal/output.ts";
import { summaryText } from "./summary-text.ts";

test("does not call a mean above the threshold too low", () => {
  const [good, bad] = [interactionResult({ overall: 1 }), interactionResult({ overall: 0.7 })];
  const response = runResult([scenarioResult("flaky", [[good], [bad]])]);
  const text = summaryText({ digest: digestResults(response), gates: [], comparison: null, problems: [] }, noStyle);
  expect(text).toContain("flaky  0.850  1 of 2 attempts passed");
  expect(text).toContain("1 scenario of 1 did not pass (each attempt needs all its replies and an overall of 0.8):");
});

test("begins with the pass rate, and does not hide a turn that always fails", () => {
  const response = runResult([scenarioResult("one", [[interactionResult({ overall: 1 })]])]);
  const counts = { total: 9, passing: 7, flaky: 1, failing: 0, no_reply: 0, unscored: 0, waiting: 1 };
  const summary = {
    ...response.summary,
    scenarios: counts,
    always_failing: [{ scenario_id: "one", turns: [1] }],
  };
  const outcome = {
    digest: digestResults({ ...response, summary }),
    gates: [],
    comparison: null,
    problems: [],
  } as const;
  expect(summaryText(outcome, noStyle).split("\n")[0]).toContain(
    ": 7 of 8 scenarios pass (1 with a turn that always fails, 1 not finished)",
  );
});

test("counts unreached scenarios as not run, not as failed", () => {
  const bad = interactionResult({ overall: 0.2, agent_reply: "No idea." });
  const response = runResult([scenarioResult("begun", [[bad], []]), scenarioResult("never", [[], []])]);
  const text = summaryText({ digest: digestResults(response), gates: [], comparison: null, problems: [] }, noStyle);
  expect(text).toContain("1 scenario of 2 did not pass (each attempt needs all its replies and an overall of 0.8):");
  expect(text).toContain("begun  0.200  0 of 1 attempt passed, 1 of 2 run");
  expect(text).toContain("1 scenario of 2 not run.");
  expect(text).not.toContain("never");
});

test("shows the number of planned attempts only for an incomplete scenario", () => {
  const bad = interactionResult({ overall: 0.2 });
  const response = runResult([scenarioResult("whole", [[bad], [bad]])]);
  const text = summaryText({ digest: digestResults(response), gates: [], comparison: null, problems: [] }, noStyle);
  expect(text).toMatch(/whole {2}0\.200 {2}0 of 2 attempts passed$/m);
});

test("cuts a long id on a terminal but not for a program", () => {
  const id = "long-".repeat(50);
  const response = runResult([scenarioResult(id, [[interactionResult({ overall: 0.2 })]])]);
  const outcome = { digest: digestResults(response), gates: [], comparison: null, problems: [] } as const;
  expect(summaryText(outcome, noStyle)).toContain(`${id}  0.200`);
  expect(summaryText(outcome, noStyle, 80)).toContain(`${id.slice(0, 59)}…  0.200`);
});

test("shows the warnings of the service", () => {
  const warnings = [{ pointer: "/budget/money", message: "stops nothing" }];
  const response = { ...runResult([scenarioResult("one", [[interactionResult({ overall: 1 })]])]), warnings };
  const text = summaryText({ digest: digestResults(response), gates: [], comparison: null, problems: [] }, noStyle);
  expect(text).toContain("\n/budget/money stops nothing\n");
});

test("shows the missed checks of a turn without a reference", () => {
  const turn = interactionResult({
    reference_reply: "",
    scores: { success: 1, contains: 1, order: 0, "metadata.intent": 0, overall: 0.5 },
    score_reasons: { order: "the pattern was not found" },
  });
  const response = runResult([scenarioResult("one", [[{ ...turn }]])]);
  const text = summaryText({ digest: digestResults(response), gates: [], comparison: null, problems: [] }, noStyle);
  expect(text).toContain("      reply     At seven.\n      check     order: the pattern was not found");
  expect(text).not.toMatch(/reference |check +contains|check +metadata/);
});

test("keeps a score name with escape codes and line breaks on one line", () => {
  const response = runResult([scenarioResult("one", [[interactionResult({ overall: 1 })]])]);
  const average_scores = { "metadata.a\u001B[2J\n::error::b": 1 };
  const named = { ...response, summary: { ...response.summary, average_scores } };
  const text = summaryText({ digest: digestResults(named), gates: [], comparison: null, problems: [] }, noStyle);
  expect(text).toMatch(/^ {2}metadata\.a ::error::b {2}1\.000/m);
});
