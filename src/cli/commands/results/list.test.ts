import { expect, test } from "vitest";
import { runResult, scenarioResult, interactionResult } from "../../../formats/testing/run-result.ts";
import { runFromResults } from "../../reporters/render-results.ts";
import { runsText } from "./list.ts";

const run = runFromResults(runResult([scenarioResult("hours", [[interactionResult({ overall: 0.95 })]])]));
const stopped = {
  ...run,
  run_id: "run-22",
  test_name: "配送",
  interrupted: true,
  created_at: "2026-11-16T22:12:00.000Z",
};
const progress = { ...run.progress, interactions_total: 9, interactions_done: 4, interactions_failed: 1 };

test("lists runs in a table, or with two or more lines each on a narrow terminal", () => {
  const runs = [run, { ...stopped, progress }];
  const whole = runsText(runs);
  expect(whole.split("\n")).toHaveLength(3);
  expect(runsText(runs, 200)).toBe(whole);
  const narrow = runsText(runs, 80).split("\n");
  expect(narrow).toHaveLength(4);
  expect(narrow[2]).toMatch(/^run-22 {2}interrupted {2}\S/);
  expect(narrow[3]).toBe("    配送 on demo/scripted, 4 of 9 turns, 1 failed, 2026-11-16 22:12");
  expect(runsText(runs, 40).split("\n").slice(-5)).toEqual([
    "run-22",
    "  STATE interrupted  OVERALL 0.900",
    "  TURNS 4/9  FAILED 1",
    "  MODEL demo/scripted  TEST 配送",
    "  CREATED 2026-11-16 22:12",
  ]);
  const long = { ...run, test_name: "long ".repeat(20).trim() };
  expect(runsText([long])).toContain(long.test_name);
  expect(runsText([long], 200)).not.toContain(long.test_name);
});
