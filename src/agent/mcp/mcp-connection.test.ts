import { expect, onTestFinished, test, vi } from "vitest";
import { coalesce } from "./mcp-connection.ts";

function start(work: () => Promise<void>, signal = new AbortController().signal) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  return coalesce(work, { pauseMs: 300, signal });
}

test("coalesces a burst into one piece of work", async () => {
  const work = vi.fn<() => Promise<void>>(async () => {});
  const ask = start(work);
  for (let times = 0; times < 1000; times += 1) ask();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(work).toHaveBeenCalledTimes(1);
});

test("does not postpone the work during a steady stream", async () => {
  const work = vi.fn<() => Promise<void>>(async () => {});
  const ask = start(work);
  for (let times = 0; times < 30; times += 1) {
    ask();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(work.mock.calls.length).toBeGreaterThan(5);
});

test("runs once more after requests during the work", async () => {
  const ends: (() => void)[] = [];
  const work = vi.fn<() => Promise<void>>(() => new Promise<void>((resolve) => void ends.push(resolve)));
  const ask = start(work);
  ask();
  await vi.advanceTimersByTimeAsync(300);
  for (let times = 0; times < 10; times += 1) ask();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(work).toHaveBeenCalledTimes(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(300);
  expect(work).toHaveBeenCalledTimes(2);
});

test("stops when the signal aborts", async () => {
  const stop = new AbortController();
  const work = vi.fn<() => Promise<void>>(async () => {});
  const ask = start(work, stop.signal);
  ask();
  stop.abort();
  await vi.advanceTimersByTimeAsync(10_000);
  ask();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(work).not.toHaveBeenCalled();
});
