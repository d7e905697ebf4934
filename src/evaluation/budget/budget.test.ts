import { expect, test } from "vitest";
import { addSpent, isSpent, spentOn } from "./budget.ts";

test("counts each call under way as an average call", () => {
  const spent = { calls: 4, tokens: 400, money: 0.4 };
  expect(isSpent({ calls: 5 }, { spent })).toBe(false);
  expect(isSpent({ calls: 5 }, { spent, underWay: 1 })).toBe(true);
  expect(isSpent({ tokens: 500 }, { spent, underWay: 1 })).toBe(true);
  expect(isSpent({ money: 0.51 }, { spent, underWay: 1 })).toBe(false);
  expect(isSpent({ seconds: 1 }, { spent, late: true })).toBe(true);
  expect(isSpent({}, { spent, underWay: 100 })).toBe(false);
});

test("a budget for ten calls is exhausted by ten calls, despite rounding", () => {
  const call = { calls: 1, tokens: 0, money: 0.02 };
  const nine = Array.from({ length: 9 }, () => call).reduce(addSpent);
  expect(isSpent({ money: 0.2 }, { spent: nine })).toBe(false);
  expect(addSpent(nine, call).money).toBeLessThan(0.2);
  expect(isSpent({ money: 0.2 }, { spent: addSpent(nine, call) })).toBe(true);
  expect(isSpent({ money: 0.2 }, { spent: nine, underWay: 1 })).toBe(true);
});

const reply = {
  agent_reply: "",
  error: null,
  usage: null,
  latency_ms: 0,
  first_token_ms: null,
  tries: 0,
  finish_reason: null,
  model: null,
  system_fingerprint: null,
  endpoint_metadata: null,
};

test("a turn that was not called spends nothing", () => {
  expect(spentOn({ reply, scores: null })).toEqual({ calls: 0, tokens: 0, money: 0 });
});

test("counts every helper of a turn: judge, labeller, simulated user, and the review of its conversation", () => {
  const helper = (calls: number) => ({
    calls,
    cost: calls / 8,
    usage: { input_tokens: calls, output_tokens: 0, total_tokens: calls },
  });
  const scores = {
    scores: [],
    generated_metadata: {},
    label_sources: {},
    scoring_version: "1",
    helper_usage: helper(1),
    conversation: { helper_usage: helper(2), user: { helper_usage: helper(4) } },
  };
  const user_turn = { helper_usage: helper(8) };
  const spent = spentOn({ reply: { ...reply, user_turn } as never, scores: scores as never });
  expect(spent).toEqual({ calls: 15, tokens: 15, money: 15 / 8 });
});
