import { getEventListeners } from "node:events";
import { expect, test, vi } from "vitest";
import { Deadline, DeadlineExceeded, pause, untilAborted, withDeadline } from "./deadline.ts";

test("pause resolves and releases the signal", async () => {
  const { signal } = new AbortController();
  await pause(1, signal);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  await pause(1);
});

test("pause rejects at once with the reason of the signal", async () => {
  const controller = new AbortController();
  const waiting = pause(600_000, controller.signal);
  const reason = new Error("enough");
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(pause(600_000, controller.signal)).rejects.toBe(reason);
});

test("untilAborted rejects even when the work ignores the signal", async () => {
  const controller = new AbortController();
  const result = untilAborted(new Promise(() => {}), controller.signal);
  controller.abort(new Error("enough"));
  await expect(result).rejects.toThrow("enough");
});

test("untilAborted settles with the work and releases the signal", async () => {
  const { signal } = new AbortController();
  await expect(untilAborted(Promise.resolve(7), signal)).resolves.toBe(7);
  await expect(untilAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("withDeadline settles with the work, or rejects when the time is over or the parent aborts", async () => {
  const never = () => new Promise<never>(() => {});
  await expect(withDeadline(() => Promise.resolve(7), { ms: 60_000 })).resolves.toBe(7);
  await expect(withDeadline(never, { ms: 1 })).rejects.toThrow(DeadlineExceeded);
  await expect(withDeadline(never, { ms: 60_000, signal: AbortSignal.abort("gone") })).rejects.toBe("gone");
});

test("a deadline aborts its signal when the time is over", () => {
  vi.useFakeTimers();
  try {
    using limit = new Deadline({ signal: new AbortController().signal, ms: 50 });
    vi.advanceTimersByTime(49);
    expect(limit.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect([limit.signal.aborted, limit.expired]).toEqual([true, true]);
  } finally {
    vi.useRealTimers();
  }
});

test("a deadline aborts with its parent, with the parent's reason, and is not expired", () => {
  const parent = new AbortController();
  using limit = new Deadline({ signal: parent.signal, ms: 60_000 });
  parent.abort("gone");
  expect([limit.signal.reason, limit.expired]).toEqual(["gone", false]);
});

test("a deadline with an aborted parent is aborted", () => {
  using limit = new Deadline({ signal: AbortSignal.abort("gone"), ms: 60_000 });
  expect(limit.signal.reason).toBe("gone");
});

test("a disposed deadline leaves no timer and no listener", () => {
  vi.useFakeTimers();
  try {
    const parent = new AbortController();
    new Deadline({ signal: parent.signal, ms: 60_000 })[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a deadline beyond the longest timer never fires", () => {
  vi.useFakeTimers();
  try {
    using limit = new Deadline({ signal: new AbortController().signal, ms: Number.POSITIVE_INFINITY });
    vi.advanceTimersByTime(1000);
    expect(limit.signal.aborted).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});
