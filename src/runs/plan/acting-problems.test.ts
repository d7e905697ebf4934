import { expect, test } from "vitest";
import { ServiceError } from "../../contract/errors/errors.ts";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { planLimits } from "../../../test/support/run-bench.ts";
import { scenarioProblems } from "./batch-problems.ts";
import { planRun } from "./plan-run.ts";
import { readExpectations } from "./expectations.ts";
import { gateWarnings, outcomeWarnings } from "./warnings.ts";

const tool = {
  name: "get_order",
  parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  answers: [{ result: 1 }],
};

function scenario(fields: object = {}, turn: object = {}) {
  return { id: "s", interactions: [{ id: "t", user_message: "Hi", ...turn }], ...fields };
}

function request(batch: object, more: object = {}) {
  return EvaluationRequest.parse({ test_batch: batch, endpoint: "http://x", model_id: "m", ...more });
}

/** Pointer and code of each problem. */
function problemsOf(batch: object, more: object = {}): string[] {
  try {
    planRun(request(batch, more), planLimits);
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return (error.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

test("refuses malformed matchers wherever values are expected, with their place", () => {
  const bad = { $regx: "x" };
  const batch = [
    scenario(
      {
        world: { tools: [{ ...tool, answers: [{ when: { id: bad }, result: 1 }] }] },
        expect: {
          state: { "/a": bad },
          said: ["  ", bad],
          must_call: ["get_order", { name: "get_order", arguments: { id: bad } }],
          before: [{ first: "get_order", later: { name: "x", arguments: { id: bad } } }],
        },
      },
      { reference_tool_calls: [{ name: "get_order", arguments: { id: bad } }] },
    ),
  ];
  expect(problemsOf(batch)).toEqual([
    "/test_batch/0/world/tools/0/answers/0/when/id/$regx unknown_matcher",
    "/test_batch/0/interactions/0/reference_tool_calls/0/arguments/id/$regx unknown_matcher",
    "/test_batch/0/expect/state/~1a/$regx unknown_matcher",
    "/test_batch/0/expect/said/0 too_small",
    "/test_batch/0/expect/said/1/$regx unknown_matcher",
    "/test_batch/0/expect/must_call/1/arguments/id/$regx unknown_matcher",
    "/test_batch/0/expect/before/0/later/arguments/id/$regx unknown_matcher",
  ]);
});

test("refuses patterns that RE2 cannot run, and schemas of tools that are none", () => {
  const looking = { $regex: "(?=x)" };
  const calls = { reference_tool_calls: [{ name: "a", arguments: { id: looking } }] };
  expect(problemsOf(scenario({}, calls))).toEqual([
    "/test_batch/interactions/0/reference_tool_calls/0/arguments/id/$regex pattern_unsupported",
  ]);
  const world = { tools: [tool, { ...tool, parameters: { type: "objekt" } }] };
  expect(problemsOf(scenario(), { world })).toEqual([
    "/world/tools/1/name duplicate_name",
    "/world/tools/1/parameters schema_invalid",
  ]);
});

test("leaves schemas in matchers to the thread that compiles checks", () => {
  const calls = { reference_tool_calls: [{ name: "a", arguments: { id: { $schema: { type: "string" } } } }] };
  const { slowChecks } = planRun(request(scenario({}, calls)), planLimits);
  expect(slowChecks?.map(({ pointer }) => pointer)).toEqual([
    "/test_batch/interactions/0/reference_tool_calls/0/arguments/id/$schema",
  ]);
});

test("refuses an outcome that cannot be decided or always holds", () => {
  expect(problemsOf(scenario({ expect: {} }))).toEqual(["/test_batch/expect required"]);
  const state = scenario({ expect: { state: { "/a": 1 }, state_after: [] } });
  expect(problemsOf(state)).toEqual(["/test_batch/expect/state required", "/test_batch/expect/state_after required"]);
  expect(problemsOf(state, { world: { tools: [tool] } })).toEqual([]);
  const calls = [{ name: "get_ordr" }, { name: "get_order", arguments: { id: { $any: true } } }];
  expect(problemsOf(scenario({ world: { tools: [tool] }, expect: { state_after: calls } }))).toEqual([
    "/test_batch/expect/state_after/0/name unknown_tool",
    "/test_batch/expect/state_after/1/arguments invalid_matcher",
  ]);
});

test("accepts a library scenario whose world comes with the run", () => {
  const { test_batch } = request([scenario({ expect: { state: { "/a": 1 }, rubric: "Was it kind?" } })]);
  const rules = { limits: planLimits, helpers: {} };
  expect(scenarioProblems([test_batch].flat(), rules)).toEqual([[]]);
  const broken = request([scenario({ expect: { said: [{ $any: 1 }] } })]);
  expect(scenarioProblems([broken.test_batch].flat(), rules)[0]?.[0]?.pointer).toBe("/expect/said/0/$any");
});

test("warns about a rubric without a judge, tools that the world lacks, and unknown scores of a gate", () => {
  const turn = { reference_tool_calls: [{ name: "get_ordr" }] };
  const { scenarios, survey, ...settings } = planRun(
    request(scenario({ world: { tools: [tool] }, expect: { rubric: "Was it kind?" } }, turn)),
    planLimits,
  );
  expect(survey.warnings(settings, undefined)).toEqual([
    {
      pointer: "/judge",
      message:
        "is not set, so the expected outcome of 1 scenario with a rubric stays undecided unless another part fails",
    },
    {
      pointer: "/test_batch",
      message: 'expects a call of "get_ordr" in scenario "s", but its world has no such tool',
      suggestion: "get_order",
    },
  ]);
  expect(outcomeWarnings({ judge: {}, history: "generated" }, readExpectations(scenarios))).toEqual([]);
  const gate = { scores: { tool_match: 1, outcome: 0.9, "outcome.rubric": 0.9, tool_rules: 1 } };
  expect(gateWarnings(gate, survey.scoreNames()).map(({ pointer }) => pointer)).toEqual(["/gate/scores/tool_rules"]);
});

test("weighs tool scores only where calls are expected", () => {
  const weights = { tool_arguments: 1 };
  expect(problemsOf(scenario(), { weights })).toEqual(["/weights/tool_arguments unknown_score"]);
  expect(problemsOf(scenario({}, { reference_tool_calls: [] }), { weights })).toEqual([]);
});
