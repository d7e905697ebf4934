import { expect, test } from "vitest";
import type { TurnCheck } from "../../contract/schemas/scores/scorer-setting.ts";
import { evaluateOutcome } from "../outcomes/outcome.ts";
import { requiredChecks } from "./required-checks.ts";

const contains = (text: string, weight?: number): Extract<TurnCheck, { type: "contains" }> => ({
  type: "contains",
  text,
  mode: "all",
  ignore_case: true,
  ...(weight !== undefined && { weight }),
});

function turn(checks: readonly TurnCheck[], scores: Record<string, number>, calls = false) {
  const interaction = { checks: [...checks], ...(calls && { reference_tool_calls: [] }) };
  return { interaction, scores: { scores, score_reasons: {} }, scorers: ["chrf", contains("of the run")] };
}

test("reads the verdict of every check, numbered after those of the run", () => {
  const code: TurnCheck = { type: "javascript", code: "0.4" };
  const group: TurnCheck = { type: "group", checks: [contains("c"), contains("d", 0)] };
  const half: TurnCheck = { type: "group", name: "half", threshold: 0.5, checks: [contains("e")] };
  const scores = { contains_2: 1, javascript: 0.4, "group.contains": 1, "group.contains_2": 0, half: 1, tool_match: 0 };
  const found = requiredChecks(turn([contains("a"), contains("b", 0), code, group, half], scores, true));
  expect(found.map(({ name, passed }) => [name, passed])).toEqual([
    ["contains_2", true],
    ["javascript", true],
    ["group.contains", true],
    ["half", true],
    ["tool_match", false],
  ]);
});

test.each([
  [{ contains_2: 1, contains_3: 1 }, 1, "all pass"],
  [{ contains_2: 1, contains_3: 0 }, 0, "contains_3: 0"],
  [{ contains_2: 1 }, null, "undecided: contains_3: it was not scored"],
])("%j makes the outcome %s", async (scores, value, reason) => {
  const scored = [turn([contains("a"), contains("b")], scores)];
  const { outcome } = await evaluateOutcome({ expect: { checks: "all" }, replies: [], scored });
  expect(outcome.value).toBe(value);
  expect(outcome.parts.at(-1)).toMatchObject({ name: "checks", reason });
});
