import { expect, test } from "vitest";
import { ServiceError } from "../../contract/errors/errors.ts";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { planLimits } from "../../../test/support/run-bench.ts";
import { planRun } from "./plan-run.ts";

const parameters = { type: "object", properties: { id: { type: "string" }, note: {} }, required: ["id"] };
const get = { name: "get", parameters, answers: [{ result: { $state: "/orders/{id}" } }] };

function plan(world: unknown, more: object = {}) {
  const test_batch = { id: "s", world, interactions: [{ id: "1", user_message: "Hi" }] };
  return planRun(EvaluationRequest.parse({ test_batch, endpoint: "http://x", model_id: "m", ...more }), planLimits);
}

/** Pointer and code of each problem, relative to the world. */
function problemsOf(world: unknown, more: object = {}): string[] {
  try {
    plan(world, more);
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return (error.errors ?? []).map(({ pointer, code }) => `${pointer.replace("/test_batch/world", "")} ${code}`);
  }
}

const withAnswer = (answer: object) => problemsOf({ tools: [{ ...get, answers: [answer] }] });

test("accepts the form of the documentation", () => {
  expect(
    problemsOf({
      state: [],
      tools: [
        {
          ...get,
          answers: [
            {
              when: { id: { $regex: "^1" }, note: { $absent: true } },
              set: { "/orders/{id}/note": { $argument: "note" }, "/a~1b/-": [{ $literal: { $state: 1 } }] },
              remove: ["/orders/{id}/x"],
              result: { all: [{ $state: "" }, { $argument: "/note/0" }] },
              delay_ms: 5,
            },
          ],
        },
        { name: "open", parameters: {}, answers: [{ result: { $state: "/{anything}" } }] },
      ],
    }),
  ).toEqual([]);
});

test.each<[string, object, string]>([
  ["an argument that the tool does not have", { result: { $state: "/a/{ordr}" } }, "/result/$state unknown_argument"],
  ["another one", { set: { "/a": [{ b: { $argument: "nope" } }] } }, "/set/~1a/0/b/$argument unknown_argument"],
  ["a condition on an unknown argument", { when: { nope: 1 }, result: 1 }, "/when/nope unknown_argument"],
  ["a broken escape", { set: { "/a~b": 1 } }, "/set/~1a~0b invalid_pointer"],
  ["a key that reaches a prototype", { set: { "/a/__proto__/b": 1 } }, "/set/~1a~1__proto__~1b invalid_pointer"],
  ["the same in a result", { result: { $state: "/constructor" } }, "/result/$state invalid_pointer"],
  ["removing everything", { remove: [""] }, "/remove/0 too_small"],
  ["an expression with other keys", { result: { $state: "/a", b: 1 } }, "/result/$state invalid_expression"],
  ["an expression of another type", { result: { $argument: 1 } }, "/result/$argument invalid_expression"],
  ["a pointer without a slash", { result: { $state: "a" } }, "/result/$state invalid_pointer"],
])("refuses %s", (_, answer, problem) => {
  expect(withAnswer(answer)).toEqual([`/tools/0/answers/0${problem}`]);
});

test("refuses worlds without tools, tools without answers, and records of no tool", () => {
  expect(problemsOf({})).toEqual(["/tools required"]);
  const { answers: _, ...bare } = get;
  expect(problemsOf({ tools: [bare] })).toEqual(["/tools/0/answers required"]);
  const recorded = [
    { name: "got", arguments: {}, result: 1 },
    { name: "get", arguments: {}, result: 1, error: "x" },
  ];
  expect(problemsOf({ tools: [bare], recorded })).toEqual([
    "/recorded/0/name unknown_tool",
    "/recorded/1 invalid_value",
  ]);
  expect(problemsOf({ tools: [{ ...get, parameters: { type: "array" } }] })).toContain(
    "/tools/0/parameters/type schema_invalid",
  );
});

test("refuses a module in a request", () => {
  expect(problemsOf({ module: "./worlds/airline.ts" })).toEqual(["/module not_allowed"]);
  expect(problemsOf({ state_file: "./orders.json" })).toEqual(expect.arrayContaining(["/state_file not_allowed"]));
});

test("refuses tools of the request beside those of a world", () => {
  const parameters = { extra: { tools: [{ type: "function" }] } };
  expect(problemsOf({ tools: [get] }, { parameters })).toEqual(["/parameters/extra/tools not_allowed"]);
  expect(problemsOf(undefined, { parameters })).toEqual([]);
});

test("warns that an agent acts in no world", () => {
  const { survey, ...settings } = plan({ tools: [get] }, { protocol: "agent" });
  expect(survey.warnings(settings, undefined)).toMatchObject([{ pointer: "/test_batch" }, { pointer: "/protocol" }]);
});

// Hints for a hundred thousand unknown names took minutes, and more problems than a call may have arguments were a RangeError.
test.each([
  ["expressions", { answers: [{ result: Array(200_000).fill({ $state: "x" }) }] }],
  ["unknown arguments", { answers: [{ result: Array(2_000).fill({ $argument: "idd" }) }] }],
  ["matchers", { answers: [{ when: { id: Array(2_000).fill({ $x: 1 }) }, result: 1 }] }],
])("stops to look for problems after the first hundred: %s", (_name, fields) => {
  expect(() => plan({ tools: [{ ...get, ...fields }] })).toThrow("(and 99 more)");
});
