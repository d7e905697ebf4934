import { expect, test } from "vitest";
import type { JudgeSettings } from "../../contract/schemas/evaluation-request.ts";
import { withOperatorDefaults, withoutOperatorDefaults } from "./model-target.ts";

const operator = {
  endpoint: "https://judge.example.com/v1",
  model_id: "judge-1",
  protocol: "anthropic-messages",
} as const;

test.each<[string, JudgeSettings, JudgeSettings]>([
  ["nothing", {}, operator],
  ["a question", { rubric: "Is it kind?" }, { ...operator, rubric: "Is it kind?" }],
  ["a model", { model_id: "judge-2" }, { ...operator, model_id: "judge-2" }],
  ["a model at the same endpoint", { endpoint: operator.endpoint, model_id: "b" }, { ...operator, model_id: "b" }],
  [
    "a model of that name elsewhere",
    { endpoint: "https://other.example.com/v1", model_id: "judge-1" },
    { endpoint: "https://other.example.com/v1", model_id: "judge-1" },
  ],
  ["an endpoint alone", { endpoint: "https://other.example.com/v1" }, { endpoint: "https://other.example.com/v1" }],
])("resolves a request that names %s, and the same request repeated", (_, requested, asked) => {
  expect(withOperatorDefaults(requested, operator)).toEqual(asked);
  expect(withOperatorDefaults(withoutOperatorDefaults(asked, operator), operator)).toEqual(asked);
});

test("leaves a request unchanged without an operator's defaults", () => {
  const requested = { endpoint: "https://other.example.com/v1", model_id: "a" };
  expect([withOperatorDefaults(requested), withoutOperatorDefaults(requested)]).toEqual([requested, requested]);
});
