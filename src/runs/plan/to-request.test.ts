import { expect, test } from "vitest";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { planRun } from "./plan-run.ts";
import { planLimits } from "../../../test/support/run-bench.ts";
import { toRepeatRequest } from "./to-request.ts";

const helpers = { judge: { endpoint: "http://operator.example/v1", model_id: "judge-1" } };
function plan(request: unknown) {
  const { survey: _, ...planned } = planRun(EvaluationRequest.parse(request), planLimits, helpers);
  return planned;
}

const scenario = {
  id: "refund",
  system_prompt: "Be brief.",
  tags: ["shop"],
  interactions: [
    {
      id: "ask",
      user_message: "Refund?",
      reference_reply: "Yes.",
      references: ["Sure."],
      reference_metadata: { n: 1 },
    },
  ],
};

test("returns a request that makes the same plan", () => {
  const request = {
    test_batch: [scenario, { ...scenario, id: "other", interactions: [{ id: "a", user_message: "Hi" }] }],
    test_name: "nightly",
    endpoint: "http://127.0.0.1:9/v1",
    model_id: "m",
    protocol: "anthropic-messages",
    system_prompt: "You are a shop.",
    parameters: { temperature: 0.2, extra: { top_k: 4 } },
    attempts: 6,
    scorers: ["token_f1", { type: "contains", text: "Yes" }],
    weights: { token_f1: 1 },
    threshold: 0.6,
    judge: { votes: 3 },
    budget: { calls: 9 },
    on_failure: "stop",
    tags: ["ci"],
    metadata: { commit: "abc" },
  };
  const first = plan(request);
  const { scenarios, ...settings } = first;
  const again = toRepeatRequest(settings, { scenarios, helpers });
  expect(plan(again)).toEqual(first);
  // Readers of the run do not learn the operator's judge.
  expect(again.judge).toEqual({ votes: 3 });
});

test("leaves out defaults", () => {
  const { scenarios, ...settings } = plan({
    test_batch: { id: "a", interactions: [{ id: "1", user_message: "Hi" }] },
    endpoint: "http://127.0.0.1:9/v1",
    model_id: "m",
  });
  expect(toRepeatRequest(settings, { scenarios, helpers })).toEqual({
    test_name: "a",
    endpoint: "http://127.0.0.1:9/v1",
    model_id: "m",
    protocol: "openai-chat",
    attempts: 1,
    test_batch: {
      id: "a",
      interactions: [{ id: "1", user_message: "Hi", reference_reply: "", interaction_type: "opening" }],
    },
  });
});
