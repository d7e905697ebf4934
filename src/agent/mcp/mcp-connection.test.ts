import { expect, onTestFinished, test, vi } from "vitest";
import { onceCalm } from "./mcp-connection.ts";

function start(work: () => Promise<void>, signal = new AbortController().signal) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  return onceCalm(work, { pauseMs: 300, signal });
}

test("a burst is one piece of work", async () => {
  const work = vi.fn<() => Promise<void>>(async () => {});
  const ask = start(work);
  for (let times = 0; times < 1000; times += 1) ask();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(work).toHaveBeenCalledTimes(1);
});

test("a stream without a pause does not put the work off", async () => {
  const work = vi.fn<() => Promise<void>>(async () => {});
  const ask = start(work);
  for (let times = 0; times < 30; times += 1) {
    ask();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(work.mock.calls.length).toBeGreaterThan(5);
});

test("what is asked for during the work is done after it, once", async () => {
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

test("nothing is done any more at the end", async () => {
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
