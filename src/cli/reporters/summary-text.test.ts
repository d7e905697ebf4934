import { expect, test } from "vitest";
import { interactionResult, runResult, scenarioResult } from "../../formats/testing/run-result.ts";
import { noStyle } from "../terminal/style.ts";
import { summaryText } from "./summary-text.ts";

test("scenarios a stopped run never came to are not run, not below the threshold", () => {
  const bad = interactionResult({ overall: 0.2, agent_reply: "No idea." });
  const response = runResult([scenarioResult("begun", [[bad], []]), scenarioResult("never", [[], []])]);
  const text = summaryText({ response, gates: [], comparison: null, exitCode: 0, problems: [] }, noStyle);
  expect(text).toContain("1 scenario of 2 below 0.8:");
  expect(text).toContain("begun  0.200  0 of 1 attempt passed, 1 of 2 run");
  expect(text).toContain("1 scenario of 2 not run.");
  expect(text).not.toContain("never");
});

test("what the service warned of is said", () => {
  const warnings = [{ pointer: "/budget/money", message: "stops nothing" }];
  const response = { ...runResult([scenarioResult("one", [[interactionResult({ overall: 1 })]])]), warnings };
  const text = summaryText({ response, gates: [], comparison: null, exitCode: 0, problems: [] }, noStyle);
  expect(text).toContain("\n/budget/money stops nothing\n");
});
