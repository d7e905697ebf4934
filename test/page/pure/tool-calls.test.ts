import { describe, expect, test } from "vitest";
import type { InteractionResult } from "../../../src/contract/schemas/interaction-result.ts";
import { groupScores, outcomePartLabel, scoreLabel, verdictInWords } from "../../../web/parts/runs/scores.ts";
import { argumentRows, callRows, expectedText, faultText, previewJson } from "../../../web/parts/runs/tool-calls.ts";
import { createDigest } from "../../../web/run/summary/run-digest.ts";
import { decidingScores, nextFailure } from "../../../web/transcript/failures.ts";
import { actingRun } from "../support/acting-run.ts";

const wrong = actingRun.results.scenarios[0]?.attempts[1]?.interactions[1] as InteractionResult;

describe("calls of a turn", () => {
  test("calls come in order with their references and faults, then the expected ones that were not made", () => {
    expect(callRows(wrong).map((row) => [faultText(row), row.marks.map(({ fault }) => fault)])).toEqual([
      ["get_order", []],
      ["cancel_order: wrong order_id, note", ["wrong_arguments"]],
      ["send_email: unknown tool", ["unknown_tool", "unexpected"]],
      ["refund_order: invalid arguments", ["invalid_arguments"]],
      ["log_reason: not called", ["not_called"]],
    ]);
  });

  test("arguments stand beside the expected ones, wrong ones first", () => {
    const [, row] = callRows(wrong);
    expect(row && argumentRows(row)).toEqual([
      { name: "order_id", expected: "1042", actual: "1043", isWrong: true },
      { name: "note", expected: undefined, actual: "asap", isWrong: true },
      { name: "reason", expected: { $text: "changed mind" }, actual: "Changed mind", isWrong: false },
    ]);
    const [first] = callRows({ ...wrong, tool_calls: [{ id: "1", name: "x", arguments: null }] });
    expect(first && argumentRows({ ...first, reference: { name: "x" } })).toBeNull();
  });

  test("a turn scored before comparisons were stored lists its calls without faults", () => {
    const { tool_comparison: _none, ...turn } = wrong;
    expect(callRows(turn).every(({ marks, reference }) => reference === null && marks.length <= 1)).toBe(true);
  });
});

test("expected values are described in words", () => {
  const words = [
    "1042",
    { $any: true },
    { $one_of: ["a", { $absent: true }] },
    { $regex: "^1\\d{3}$" },
    { $number: { value: 25, tolerance: 0.5 } },
    { $text: "New York" },
    { $literal: { $state: 1 } },
    { street: { $any: true } },
  ].map((value) => expectedText(value));
  expect(words).toEqual([
    '"1042"',
    "any value",
    'one of "a", left out',
    "matches ^1\\d{3}$",
    "25 ± 0.5",
    '"New York", ignoring case and spaces',
    '{"$state": 1}',
    '{"street": {"$any": true}}',
  ]);
});

test("a preview reads no more of a large value than it shows", () => {
  let read = 0;
  const huge = new Proxy(
    Array.from({ length: 1_000_000 }, (_, index) => index),
    {
      get(target, key, receiver) {
        if (/^\d+$/.test(String(key))) read += 1;
        return Reflect.get(target, key, receiver);
      },
    },
  );
  expect(previewJson({ huge }, 20)).toBe('{"huge": [0, 1, 2, 3…');
  expect(read).toBeLessThan(20);
  expect(previewJson("x".repeat(1_000_000), 5)).toBe('"xxxx…');
  expect(previewJson(undefined)).toBe("nothing");
});

describe("what failed", () => {
  test("wrong calls and missed parts of outcomes are counted by kind, with the first place", () => {
    const { add, digest } = createDigest();
    const conversation = {
      scores: { outcome: 0, "outcome.state": 0, "outcome.said": 1 },
      score_reasons: { "outcome.state": "/a is 1, expected 2" },
      judgements: {},
    };
    for (const attempt of [1, 2]) add({ scenario_id: "s", attempt, ...wrong, conversation });
    const { wrongCalls, missed } = digest();
    const first = { scenarioId: "s", attempt: 1, turn: 1 };
    expect(missed).toEqual([{ fault: "Final state", count: 2, example: "/a is 1, expected 2", first }]);
    expect(wrongCalls.map(({ fault, count }) => [fault, count])).toEqual([
      ["cancel_order: wrong order_id, note", 2],
      ["send_email: unknown tool", 2],
      ["refund_order: invalid arguments", 2],
      ["log_reason: not called", 2],
    ]);
  });

  test("an attempt that misses only its outcome is a failure at its last turn", () => {
    const from = { scenarioId: "cancel-order", attempt: 2, turn: 2 };
    expect(nextFailure(actingRun.results.scenarios, { from, step: 1 })).toMatchObject({ attempt: 3, turn: 2 });
  });

  test("the scores that decide are overall and its low parts", () => {
    const scores = { success: 1, overall: 0.5, chrf: 1, tool_match: 0, rouge_l: 0.2 };
    const score_reasons = { overall: "reply 1.00 (chrf) and tools 0.00 (tool_match)" };
    expect(decidingScores({ scores, score_reasons }, 0.8)).toEqual(["overall", "tool_match"]);
    expect(decidingScores({ scores: { success: 0 }, score_reasons: {} }, 0.8)).toEqual(["overall", "success"]);
  });
});

test("scores are grouped where an agent acted", () => {
  const names = ["token_f1", "tool_order", "outcome.state", "overall", "outcome", "tool_match", "success"];
  expect(groupScores(names, (name) => name)).toEqual([
    { title: null, entries: ["overall", "success"] },
    { title: "Outcome", entries: ["outcome", "outcome.state"] },
    { title: "Tool calls", entries: ["tool_match", "tool_order"] },
    { title: "Replies and labels", entries: ["token_f1"] },
  ]);
  expect(groupScores(["token_f1", "overall"], (name) => name)).toEqual([
    { title: null, entries: ["overall", "token_f1"] },
  ]);
  expect(scoreLabel("outcome.must_not_call")).toBe("outcome: must not call");
});

test("a verdict names its score as the page does, and the parts of an outcome have titles", () => {
  const scores = [
    { name: "outcome", sentence: "outcome is better." },
    { name: "success", sentence: "replied is the same." },
  ] as Parameters<typeof verdictInWords>[0]["scores"];
  expect(verdictInWords({ scores, sentence: "replied is the same." })).toEqual({
    name: "replied",
    sentence: "replied is the same.",
  });
  expect(verdictInWords({ scores, sentence: "Not comparable." }).sentence).toBe("Not comparable.");
  expect(outcomePartLabel("user")).toBe("Simulated user");
});
