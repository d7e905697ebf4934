import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import type { ChatModel, ChatRequest } from "../../contract/ports/chat-model.ts";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import { createRuns } from "../create-runs.ts";
import { startBench, type RunBench } from "../../../test/support/run-bench.ts";

const orders = {
  state: { orders: { "1042": { status: "paid" } } },
  tools: [
    {
      name: "cancel_order",
      description: "Cancels an order.",
      parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] },
      answers: [
        { set: { "/orders/{order_id}/status": "cancelled" }, result: { ok: true } },
        { error: "No such order." },
      ],
    },
  ],
};

const scenario = (fields: object = {}) => ({
  id: "cancel",
  world: orders,
  interactions: [
    {
      id: "1",
      user_message: "Cancel 1042",
      reference_tool_calls: [{ name: "cancel_order", arguments: { order_id: "1042" } }],
    },
    { id: "2", user_message: "Thanks" },
  ],
  expect: {
    state: { "/orders/1042/status": "cancelled" },
    state_after: [{ name: "cancel_order", arguments: { order_id: "1042" } }],
  },
  ...fields,
});

const call = (order_id: string) =>
  sampleReply("", {
    tool_calls: [{ id: "call_0", name: "cancel_order", arguments: JSON.stringify({ order_id }) }],
    finish_reason: "tool_calls",
  });

/** Cancels the order that the user names, then says so. */
function actor(options: { onRequest?: (request: ChatRequest) => void } = {}): ChatModel & { requests: ChatRequest[] } {
  const requests: ChatRequest[] = [];
  const model: ChatModel = async (request, { signal }) => {
    signal.throwIfAborted();
    requests.push(request);
    options.onRequest?.(request);
    const last = request.messages.at(-1);
    const order = /\d+/.exec(last?.role === "user" ? last.content : "")?.[0];
    return order === undefined ? sampleReply("Done.") : call(order);
  };
  return Object.assign(model, { requests });
}

test("the model acts in its world, and the outcome is decided by the final state", async () => {
  const model = actor();
  await using bench = await startBench({ models: { model } });
  const response = await bench.evaluate({ test_batch: scenario(), attempts: 3 });
  for (const { interactions, outcome, average_scores } of response.results.scenarios[0]?.attempts ?? []) {
    expect(interactions[0]).toMatchObject({
      agent_reply: "Done.",
      model_calls: 2,
      usage: { total_tokens: 30 },
      scores: { success: 1, tool_match: 1 },
      tool_calls: [{ name: "cancel_order", arguments: { order_id: "1042" }, result: { ok: true } }],
    });
    expect(interactions[1]).toMatchObject({ agent_reply: "Done.", tool_calls: [] });
    expect(outcome).toMatchObject({ value: 1 });
    expect(average_scores["outcome"]).toBe(1);
  }
  // The second turn sees the calls and results of the first.
  const thanked = model.requests.filter(({ messages }) => messages.at(-1)?.content === "Thanks");
  for (const { messages } of thanked) {
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  }
  expect(response.usage).toMatchObject({ total_tokens: 3 * 45 });
});

test("a run's world serves scenarios without one; a wrong call fails the outcome with a difference", async () => {
  const model: ChatModel = async ({ messages }) => (messages.length === 1 ? call("7") : sampleReply("Cancelled!"));
  await using bench = await startBench({ models: { model } });
  const { world: _, ...bare } = scenario();
  const response = await bench.evaluate({ test_batch: bare, world: orders });
  const [attempt] = response.results.scenarios[0]?.attempts ?? [];
  expect(attempt?.interactions[0]?.tool_calls).toMatchObject([{ error: "No such order." }]);
  expect(attempt?.outcome).toMatchObject({
    value: 0,
    state_diff: expect.arrayContaining([
      { path: "/orders/1042/status", expected: "cancelled", actual: "paid" },
    ]) as unknown,
  });
});

test("rescoring finds the final state in the journal", async () => {
  const model = actor();
  await using bench = await startBench({ models: { model } });
  const { id } = await bench.create({ test_batch: scenario({ expect: { state: { "/orders/1042/status": "paid" } } }) });
  const run = await bench.runs.wait(id, AbortSignal.timeout(10_000));
  expect((await bench.results(run)).results.scenarios[0]?.attempts[0]?.outcome?.value).toBe(0);
  const again = await bench.runs.rescore(id, null, {});
  expect((await bench.results(again)).results.scenarios[0]?.attempts[0]?.outcome?.value).toBe(0);
  expect(model.requests).toHaveLength(3);
});

test("with reference history each turn acts in a world after the reference calls before it", async () => {
  const model = actor();
  await using bench = await startBench({ models: { model } });
  const test_batch = scenario({
    interactions: [
      { ...scenario().interactions[0], reference_reply: "Done." },
      { id: "2", user_message: "Thanks", reference_reply: "Welcome." },
    ],
  });
  const response = await bench.evaluate({ test_batch, history: "both" });
  const [result] = response.results.scenarios;
  expect(result?.attempts[0]?.outcome?.value).toBe(1);
  expect(result?.reference_attempts?.[0]?.interactions[0]?.tool_calls).toMatchObject([{ result: { ok: true } }]);
});

/** Runs a request until the model has been asked so often, then stops the process as a crash would. */
async function crashAfter(bench: RunBench, model: { requests: readonly unknown[] }, calls: number): Promise<void> {
  await expect.poll(() => model.requests.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(calls);
  await bench.runs.stop({ graceMs: 0 });
}

test("another worker goes on at the step, repeats no call and asks for no stored reply again", async () => {
  const hang = Promise.withResolvers<never>();
  let isDown = false;
  const seen: ChatRequest[] = [];
  const steps = 4;
  const model: ChatModel = async (request, { signal }) => {
    seen.push(request);
    const done = request.messages.filter(({ role }) => role === "tool").length;
    if (done === 2 && !isDown) {
      isDown = true;
      await Promise.race([
        hang.promise,
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      ]);
    }
    return done < steps
      ? sampleReply("", { tool_calls: [{ id: `c${done}`, name: "note", arguments: `{"text":"n${done}"}` }] })
      : sampleReply(request.messages.at(-1)?.content ?? "");
  };
  await using bench = await startBench({ models: { model } });
  const { id } = await bench.create({
    test_batch: {
      id: "s",
      interactions: [{ id: "1", user_message: "Go" }],
      world: {
        state: { notes: [] },
        tools: [
          {
            name: "note",
            parameters: { type: "object", properties: { text: { type: "string" } } },
            answers: [{ set: { "/notes/-": { $argument: "text" } }, result: { $state: "/notes" } }],
          },
        ],
      },
      expect: { state: { "/notes": ["n0", "n1", "n2", "n3"] } },
    },
  });
  await crashAfter(bench, { requests: seen }, 3);
  const successor = createRuns({
    store: bench.store,
    queue: bench.queue,
    createModel: () => model,
    isDemo: () => false,
    workerId: `test:${process.pid}:2`,
    newId: randomUUIDv7,
    concurrency: { global: 1, perRun: 1 },
    heartbeatMs: 5_000,
    onError: (error) => {
      throw error;
    },
  });
  await successor.start();
  const run = await successor.wait(id, AbortSignal.timeout(15_000));
  const [attempt] = (await bench.results(run)).results.scenarios[0]?.attempts ?? [];
  await successor.stop({ graceMs: 1_000 });
  // Asked once per step, and once more for the one that was cut off.
  expect(seen).toHaveLength(steps + 2);
  expect(attempt?.interactions[0]).toMatchObject({
    agent_reply: '["n0","n1","n2","n3"]',
    model_calls: steps + 1,
    tool_calls: ["n0", "n1", "n2", "n3"].map((text) => ({ arguments: { text } })),
  });
  expect(attempt?.outcome?.value).toBe(1);
});

test("a budget counts every model call of a turn, and ends a turn that would exceed it", async () => {
  const model: ChatModel & { requests: number } = Object.assign(
    async () => {
      model.requests += 1;
      return call("1042");
    },
    { requests: 0 },
  );
  await using bench = await startBench({ models: { model } });
  const response = await bench.evaluate({ test_batch: scenario(), attempts: 3, concurrency: 1, budget: { calls: 5 } });
  expect(model.requests).toBe(5);
  expect(response.summary.stopped_by).toBe("budget");
  const [turn] = response.results.scenarios[0]?.attempts[0]?.interactions ?? [];
  expect(turn).toMatchObject({ error: { code: "budget_exceeded" }, model_calls: 5, usage: { total_tokens: 75 } });
});
