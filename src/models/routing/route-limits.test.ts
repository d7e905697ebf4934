import { expect, test, vi } from "vitest";
import type { ChatModel, Reply } from "../../contract/ports/chat-model.ts";
import { createRouteLimits } from "./route-limits.ts";

const request = { messages: [] };
const { signal } = new AbortController();
const answer = { ok: true, text: "Yes" } as Reply;

/** A model whose calls end when the test says so. */
function heldModel() {
  const held: (() => void)[] = [];
  const model: ChatModel = () => new Promise((resolve) => held.push(() => resolve(answer)));
  return { model, held, release: () => held.shift()?.() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("calls beyond the cap wait until one ends, in order", async () => {
  const { model, held, release } = heldModel();
  const limits = createRouteLimits({ concurrency: 2 });
  const limited = limits.wrap("a/b", model);
  const ended: number[] = [];
  const calls = [0, 1, 2, 3].map((index) => limited(request, { signal }).then(() => ended.push(index)));
  await settled();
  expect(held).toHaveLength(2);
  expect(limits.state()).toEqual([{ key: "a/b", running: 2, waiting: 2 }]);
  for (let index = 0; index < 4; index += 1) {
    release();
    await settled();
  }
  await Promise.all(calls);
  expect(ended).toEqual([0, 1, 2, 3]);
  expect(limits.state()).toEqual([]);
});

test("other models have lanes of their own", async () => {
  const { model, held, release } = heldModel();
  const limits = createRouteLimits({ concurrency: 1 });
  const calls = [limits.wrap("a/b", model)(request, { signal }), limits.wrap("c/d", model)(request, { signal })];
  await settled();
  expect(held).toHaveLength(2);
  release();
  release();
  await Promise.all(calls);
});

test("a full queue is an answer, not a wait", async () => {
  const { model, release } = heldModel();
  const limited = createRouteLimits({ concurrency: 1, queue: 0 }).wrap("a/b", model);
  const first = limited(request, { signal });
  expect(await limited(request, { signal })).toMatchObject({ ok: false, error: { code: "overloaded", tries: 0 } });
  release();
  expect(await first).toBe(answer);
});

test("a full queue says how long it is, by how long calls take", async () => {
  vi.useFakeTimers();
  try {
    const model: ChatModel = () => new Promise((resolve) => setTimeout(() => resolve(answer), 2_800));
    const limited = createRouteLimits({ concurrency: 16, queue: 256 }).wrap("a/b", model);
    const ask = () => limited(request, { signal });
    const calls = Array.from({ length: 16 + 256 }, ask);
    await vi.advanceTimersByTimeAsync(2_800);
    calls.push(...Array.from({ length: 16 }, ask));
    const refused = await ask();
    expect(refused).toMatchObject({ error: { code: "overloaded" } });
    expect(refused.ok || refused.error.retry_after_ms).toBeCloseTo(45_000, -3);
    await vi.runAllTimersAsync();
    await Promise.all(calls);
  } finally {
    vi.useRealTimers();
  }
});

test("who gives up while waiting leaves the line", async () => {
  const { model, held, release } = heldModel();
  const limits = createRouteLimits({ concurrency: 1 });
  const limited = limits.wrap("a/b", model);
  const controller = new AbortController();
  const first = limited(request, { signal });
  const second = limited(request, { signal: controller.signal });
  controller.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  release();
  await first;
  await settled();
  expect(held).toHaveLength(0);
  expect(limits.state()).toEqual([]);
});
