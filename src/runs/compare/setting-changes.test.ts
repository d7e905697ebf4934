import { expect, test } from "vitest";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { planRun } from "../plan/plan-run.ts";
import { settingChanges } from "./setting-changes.ts";
import { planLimits } from "../../../test/support/run-bench.ts";

function settings(more: Record<string, unknown> = {}) {
  const test_batch = { id: "s", interactions: [{ id: "1", user_message: "Hi" }] };
  const request = { test_batch, endpoint: "http://127.0.0.1:9/v1", model_id: "m", ...more };
  const { scenarios, survey: _, ...rest } = planRun(EvaluationRequest.parse(request), planLimits);
  return { settings: rest, scenarios };
}

test("reports no change for runs with the same conditions, whatever their name and pace", () => {
  const other = settings({ test_name: "b", tags: ["x"], concurrency: 3, history: "generated" });
  expect(settingChanges(settings(), other)).toEqual([]);
});

test("reports a changed prompt and changed parameters with both values", () => {
  const before = settings({ system_prompt: "Be kind.", parameters: { temperature: 0, stop: ["a"] } });
  const after = settings({ system_prompt: "Be brief.", parameters: { stop: ["a"], top_p: 0.5 } });
  expect(settingChanges(before, after)).toEqual([
    { setting: "system_prompt", baseline: "Be kind.", candidate: "Be brief." },
    { setting: "parameters.temperature", baseline: 0, candidate: null },
    { setting: "parameters.top_p", baseline: null, candidate: 0.5 },
  ]);
});

test("reports a changed prompt of a shared scenario", () => {
  const batch = (...prompts: (string | undefined)[]) => ({
    test_batch: prompts.map((system_prompt, index) => ({
      id: `s${index}`,
      ...(system_prompt !== undefined && { system_prompt }),
      interactions: [{ id: "1", user_message: "Hi" }],
    })),
  });
  expect(settingChanges(settings(batch(undefined, "same", "x")), settings(batch("new", "same")))).toEqual([
    { setting: "scenarios.s0.system_prompt", baseline: null, candidate: "new" },
  ]);
  const many = (prompt: string) => settings(batch(...Array.from({ length: 21 }, () => prompt)));
  expect(settingChanges(many("before"), many("after"))).toHaveLength(20);
});

test("treats agents started by the command line as the same, on any port", () => {
  const [before, after] = [settings(), settings({ endpoint: "http://127.0.0.1:10/v1" })];
  const own = { ownAgent: true };
  expect(settingChanges({ ...before, ...own }, { ...after, ...own })).toEqual([]);
  expect(settingChanges(before, after)).toMatchObject([{ setting: "endpoint" }]);
  expect(settingChanges({ ...before, ...own }, after)).toMatchObject([{ setting: "endpoint", baseline: "agent" }]);
});
