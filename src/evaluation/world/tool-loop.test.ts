import { expect, test } from "vitest";
import type { ChatModel, ChatRequest, Reply, ToolCall } from "../../contract/ports/chat-model.ts";
import type { WorldEntry } from "../../contract/ports/journal.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import { World } from "../../contract/schemas/acting/world.ts";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import { createProbes } from "../tools/probes.ts";
import { runToolLoop, type ToolLoopOptions } from "./tool-loop.ts";
import { prepareWorld } from "./world.ts";

const { signal } = new AbortController();

const counter = {
  state: { count: 0 },
  tools: [
    {
      name: "add",
      parameters: { type: "object", properties: { to: { type: "integer" } }, required: ["to"] },
      answers: [{ set: { "/count": { $argument: "to" } }, result: { count: { $state: "/count" } } }],
    },
    { name: "slow", parameters: { type: "object" }, answers: [{ delay_ms: 20, error: "down" }] },
  ],
};

const calls = (...list: readonly Partial<ToolCall>[]) =>
  sampleReply("Let me see.", {
    tool_calls: list.map((call, index) => ({ id: `c${index}`, name: "add", arguments: '{"to":1}', ...call })),
    finish_reason: "tool_calls",
  });

function script(replies: readonly Reply[]): ChatModel & { requests: ChatRequest[] } {
  const requests: ChatRequest[] = [];
  const model: ChatModel = async (request) => {
    const reply = replies[requests.push({ ...request, messages: [...request.messages] }) - 1];
    if (!reply) throw new Error("asked too often");
    return reply;
  };
  return Object.assign(model, { requests });
}

async function run(replies: readonly Reply[], options: Partial<ToolLoopOptions> & { definition?: object } = {}) {
  const model = script(replies);
  const world = prepareWorld(World.parse(options.definition ?? counter), { probes: createProbes() });
  const session = world.open();
  const journal: WorldEntry[][] = [];
  const turn = await runToolLoop({
    model,
    messages: [{ role: "user", content: "Hi" }],
    world,
    session,
    journal: { entries: [], append: async (entries) => void journal.push([...entries]) },
    signal,
    ...options,
  });
  return { ...turn, model, session, journal };
}

test("carries out calls in order and sends their results back until the model replies", async () => {
  const echo = { from: "p", call: { signature: "s" } };
  const { reply, model, session, journal } = await run([
    calls({ echo }, { arguments: '{"to":2}' }),
    calls({ arguments: '{"to": 3}' }, { name: "nothing", arguments: "{" }),
    sampleReply("Three."),
  ]);
  expect(session.state.value).toEqual({ count: 3 });
  expect(reply).toMatchObject({
    agent_reply: "Three.",
    error: null,
    usage: { input_tokens: 30, output_tokens: 15, total_tokens: 45 },
    tries: 3,
    model_calls: 3,
    finish_reason: "stop",
    tool_calls: [
      { id: "c0", name: "add", arguments: { to: 1 }, result: { count: 1 } },
      { id: "c1", name: "add", arguments: { to: 2 }, result: { count: 2 } },
      { id: "c0_2", name: "add", arguments: { to: 3 }, result: { count: 3 } },
      { id: "c1_2", name: "nothing", arguments: "{", error: expect.stringContaining("no tool named") as string },
    ],
  });
  expect(reply.latency_ms).toBeGreaterThanOrEqual(3);
  expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(["add", "slow"]);
  expect(model.requests[2]?.messages).toEqual([
    { role: "user", content: "Hi" },
    {
      role: "assistant",
      content: "Let me see.",
      tool_calls: [
        { id: "c0", name: "add", arguments: '{"to":1}', echo },
        { id: "c1", name: "add", arguments: '{"to":2}' },
      ],
    },
    { role: "tool", tool_call_id: "c0", name: "add", content: '{"count":1}' },
    { role: "tool", tool_call_id: "c1", name: "add", content: '{"count":2}' },
    {
      role: "assistant",
      content: "Let me see.",
      tool_calls: [
        { id: "c0_2", name: "add", arguments: '{"to": 3}' },
        { id: "c1_2", name: "nothing", arguments: "{}" },
      ],
    },
    { role: "tool", tool_call_id: "c0_2", name: "add", content: '{"count":3}' },
    {
      role: "tool",
      tool_call_id: "c1_2",
      name: "nothing",
      content: expect.stringContaining("Error: There is no") as string,
    },
  ]);
  // One write per step; the last reply is stored with the turn.
  expect(journal.map((part) => part.map(({ type }) => type))).toEqual([
    ["reply", "call", "call"],
    ["reply", "call", "call"],
  ]);
});

test("a turn without calls writes nothing and looks like any other", async () => {
  const { reply, journal } = await run([sampleReply("Hello")]);
  expect(journal).toEqual([]);
  expect(reply).not.toHaveProperty("tool_calls");
  expect(reply).not.toHaveProperty("model_calls");
});

test("goes on behind its last entry after an interruption, wherever that was, and repeats no call", async () => {
  const replies = [calls({}, { arguments: '{"to":2}' }), calls({ arguments: '{"to":5}' }), sampleReply("Five.")];
  const whole = await run(replies);
  const entries = whole.journal.flat();
  for (let done = 0; done <= entries.length; done += 1) {
    const left = entries.slice(0, done);
    const asked = left.filter(({ type }) => type === "reply").length;
    const { reply, session, model, journal } = await run(replies.slice(asked), {
      journal: { entries: left, append: async () => {} },
    });
    const withoutTimes = ({ tool_calls = [], ...rest }: StoredReply) => ({
      ...rest,
      latency_ms: 0,
      tool_calls: tool_calls.map((call) => ({ ...call, ms: 0 })),
    });
    expect(withoutTimes(reply)).toEqual(withoutTimes(whole.reply));
    expect(session.state.value).toEqual({ count: 5 });
    expect(model.requests.at(-1)?.messages).toEqual(whole.model.requests.at(-1)?.messages);
    expect(journal).toEqual([]);
  }
});

test("stores everything before a call that takes time", async () => {
  const { journal, reply } = await run([calls({}, { name: "slow", arguments: "{}" }), sampleReply("Sorry.")]);
  expect(journal.map((part) => part.map(({ type }) => type))).toEqual([["reply", "call"], ["call"]]);
  expect(reply.tool_calls?.[1]).toMatchObject({ error: "down" });
  expect(reply.tool_calls?.[1]?.ms).toBeGreaterThan(15);
});

test("at the step limit the model is asked once more, without tools", async () => {
  const definition = { ...counter, max_steps: 2 };
  const { reply, model } = await run([calls({}), calls({}), sampleReply("Enough.")], { definition });
  expect(reply).toMatchObject({ agent_reply: "Enough.", finish_reason: "step_limit", model_calls: 3 });
  expect(model.requests.map(({ tool_choice }) => tool_choice)).toEqual([undefined, undefined, "none"]);
  expect(model.requests[2]?.messages.at(-1)?.content).toContain("The step limit of this turn is reached");
  const stubborn = await run([calls({}), calls({}), calls({})], { definition });
  expect(stubborn.reply).toMatchObject({ agent_reply: "Let me see.", error: null });
  expect(stubborn.reply.tool_calls?.at(-1)).toMatchObject({
    error: "Not called: the step limit of this turn is reached.",
  });
});

test("a thousand calls in one reply are carried out, more are recorded and refused", async () => {
  const many = calls(...Array.from({ length: 12_000 }, () => ({})));
  const { reply, session } = await run([many, sampleReply("Done.")]);
  expect(session.state.value).toEqual({ count: 1 });
  expect(reply.tool_calls).toHaveLength(10_000);
  expect(reply.tool_calls?.filter(({ error }) => error === undefined)).toHaveLength(1_000);
  expect(reply.finish_reason).toBe("tool_limit");
  expect(new Set(reply.tool_calls?.map(({ id }) => id)).size).toBe(10_000);
});

test("a failure in the middle of a turn keeps its calls, their effects and their cost", async () => {
  const error = { code: "upstream_timeout", detail: "late", upstream_status: null, tries: 2, retryable: true } as const;
  const { reply, session } = await run([calls({}), { ok: false, error, latency_ms: 9 }], { costOf: () => 0.5 });
  expect(session.state.value).toEqual({ count: 1 });
  expect(reply).toMatchObject({
    agent_reply: "Request failed",
    error,
    usage: { total_tokens: 15 },
    cost: 0.5,
    tries: 3,
    model_calls: 2,
    tool_calls: [{ name: "add", result: { count: 1 } }],
  });
});

test("a spent budget ends the turn between two calls of the model", async () => {
  const soFar: StoredReply[] = [];
  const { reply, model } = await run([calls({})], { admit: () => false, onStep: (turn) => soFar.push(turn) });
  expect(model.requests).toHaveLength(1);
  expect(reply).toMatchObject({ error: { code: "budget_exceeded" }, tries: 1, usage: { total_tokens: 15 } });
  expect(soFar).toMatchObject([{ usage: { total_tokens: 15 }, tries: 1 }]);
});

test("one reply without token counts makes those of the turn unknown", async () => {
  const { reply } = await run([{ ...calls({}), usage: null }, sampleReply("Hi")]);
  expect(reply.usage).toBeNull();
});

test("an abort rejects with its reason", async () => {
  const controller = new AbortController();
  const model: ChatModel = async () => {
    controller.abort(new Error("stopping"));
    return calls({ name: "slow", arguments: "{}" });
  };
  await expect(run([], { model, signal: controller.signal })).rejects.toThrow("stopping");
});
