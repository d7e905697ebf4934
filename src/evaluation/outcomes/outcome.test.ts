import { describe, expect, it } from "vitest";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { Expectation } from "../../contract/schemas/acting/world.ts";
import { evaluateOutcome, outcomeScores, type OutcomeInput } from "./outcome.ts";
import { createProbes } from "../tools/probes.ts";
import { matchContext } from "../tools/score-calls.ts";
import { stateDifferences } from "./state-diff.ts";

const signal = new AbortController().signal;

function reply(agent_reply: string, calls: readonly { name: string; arguments?: unknown; error?: string }[] = []) {
  const tool_calls = calls.map((call, index) => ({ id: String(index), arguments: {}, ...call }));
  return { agent_reply, error: null, tool_calls } as unknown as StoredReply;
}

const failed = { agent_reply: "Request failed", error: { code: "upstream_timeout" } } as unknown as StoredReply;

async function outcome(given: Expectation, replies: readonly StoredReply[], more: Partial<OutcomeInput> = {}) {
  const evaluated = await evaluateOutcome({ expect: given, replies, probes: createProbes(), signal, ...more });
  const parts = Object.fromEntries(
    evaluated.outcome.parts.map(({ name, passed, reason }) => [name, { passed, reason }]),
  );
  return { ...evaluated.outcome, parts, scores: outcomeScores(evaluated).scores };
}

describe("state", () => {
  const state = { orders: { "1042": { status: "paid", total: 25, items: [{ sku: "a" }] } } };

  it("is compared by path, with matchers, and listed where it differs", async () => {
    const expected = {
      "/orders/1042/status": "cancelled",
      "/orders/1042/total": { $number: { value: 25, tolerance: 1 } },
      "/orders/1043": { $absent: true },
    } as Expectation["state"] & {};
    const { value, parts, state_diff } = await outcome({ state: expected }, [reply("Done.")], { state });
    expect(value).toBe(0);
    expect(parts["state"]).toEqual({ passed: false, reason: '/orders/1042/status is "paid", expected "cancelled"' });
    expect(state_diff).toEqual([{ path: "/orders/1042/status", expected: "cancelled", actual: "paid" }]);
    const right = await outcome({ state: { ...expected, "/orders/1042/status": "paid" } }, [reply("Done.")], { state });
    expect(right.value).toBe(1);
    expect(right.state_diff).toBeUndefined();
  });

  it("may have to equal the state after the expected calls", async () => {
    const expectedState = { orders: { "1042": { status: "cancelled", items: [{ sku: "a" }, { sku: "b" }] } } };
    const { parts, state_diff } = await outcome({ state_after: [] }, [reply("Done.")], { state, expectedState });
    expect(parts["state_after"]?.passed).toBe(false);
    expect(state_diff).toEqual([
      { path: "/orders/1042/status", expected: "cancelled", actual: "paid" },
      { path: "/orders/1042/items/1", expected: { sku: "b" } },
      { path: "/orders/1042/total", actual: 25 },
    ]);
    expect((await outcome({ state_after: [] }, [reply("")], { state, expectedState: state })).value).toBe(1);
  });

  it("is undecided without a world, unless an earlier verdict is kept", async () => {
    const wanted = { state: { "/a": 1 } } as Expectation;
    const unknown = await outcome(wanted, [reply("")]);
    expect(unknown.value).toBeNull();
    expect(unknown.parts["state"]).toEqual({ passed: null, reason: "undecided: the attempt had no world" });
    expect(unknown.scores).toEqual({ "outcome.replies": 1 });
    const earlier = { value: 1 as const, parts: [{ name: "state", passed: true, reason: "as before" }] };
    expect((await outcome(wanted, [reply("")], { earlier })).value).toBe(1);
  });
});

it("keeps differences of states small", () => {
  const context = matchContext({}, createProbes().open(), () => {});
  const options = { pointer: "", context, hasMatchers: false };
  const large = { text: "x".repeat(5_000) };
  expect(JSON.stringify(stateDifferences({}, large, options)).length).toBeLessThan(1_200);
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index]));
  expect(stateDifferences({}, many, options)).toHaveLength(100);
});

it("looks for texts in replies, ignoring case and the commas of thousands", async () => {
  const said = ["cancelled", "$1234", { $regex: "^Goodbye" }] as Expectation["said"] & {};
  const replies = [reply("Your order was  CANCELLED; you get $1,234 back."), reply("Goodbye!")];
  expect((await outcome({ said }, replies)).value).toBe(1);
  const { parts } = await outcome({ said }, [reply("Hello"), failed]);
  expect(parts["said"]?.reason).toBe('not said: "cancelled", "$1234", a text that matches "^Goodbye"');
});

describe("tool rules", () => {
  const calls = [
    reply("", [{ name: "get_order", arguments: { id: "1" }, error: "No such order." }]),
    reply("", [
      { name: "cancel_order", arguments: { id: "1" } },
      { name: "get_order", arguments: { id: "1" } },
    ]),
  ];

  it("hold or are broken, each with a reason and a score", async () => {
    const { value, parts, scores } = await outcome(
      {
        must_call: ["cancel_order", { name: "get_order", arguments: { id: "2" } }],
        must_not_call: ["refund_order"],
        before: [{ first: "get_order", later: "cancel_order" }],
        max_calls: { get_order: 1 },
      },
      calls,
    );
    expect(value).toBe(0);
    expect(parts["must_call"]?.reason).toBe('get_order with {"id":"2"} was not called');
    expect(parts["must_not_call"]).toEqual({ passed: true, reason: "refund_order was not called" });
    expect(parts["before"]?.reason).toBe("cancel_order was called in turn 2 before get_order");
    expect(parts["max_calls"]?.reason).toBe("2 calls of get_order, at most 1 allowed");
    expect(scores).toEqual({
      outcome: 0,
      "outcome.replies": 1,
      "outcome.must_call": 0,
      "outcome.must_not_call": 1,
      "outcome.before": 0,
      "outcome.max_calls": 0,
      tool_rules: 2 / 5,
    });
  });

  it("need no call of the first tool when the second is never called", async () => {
    const rule = { before: [{ first: "login", later: "refund_order" }] };
    expect((await outcome(rule, calls)).value).toBe(1);
    const { parts } = await outcome({ before: [{ first: "login", later: "cancel_order" }] }, calls);
    expect(parts["before"]?.reason).toBe("cancel_order was called in turn 2 without a successful call of login");
    expect((await outcome({ max_calls: 3 }, calls)).value).toBe(1);
    expect((await outcome({ max_calls: 2 }, calls)).value).toBe(0);
  });
});

it("fails an attempt with a turn that got no reply, even if everything else holds", async () => {
  const { value, parts } = await outcome({ must_not_call: ["refund_order"] }, [reply("Hello"), failed]);
  expect(value).toBe(0);
  expect(parts["replies"]?.reason).toBe("turn 2 got no reply: upstream_timeout");
});

it("fails when one part fails, although another is undecided", async () => {
  const wanted: Expectation = { rubric: "Was it polite?", must_call: ["get_order"] };
  expect((await outcome(wanted, [reply("")])).value).toBe(0);
  const undecided = await outcome(wanted, [reply("", [{ name: "get_order" }])]);
  expect(undecided.value).toBeNull();
  expect(undecided.parts["rubric"]?.reason).toBe("undecided: the run has no judge");
  const rubric = { passed: true, reason: "pass: yes" };
  expect((await outcome(wanted, [reply("", [{ name: "get_order" }])], { rubric })).value).toBe(1);
});
