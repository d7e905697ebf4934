import { getEventListeners } from "node:events";
import { expect, test, vi } from "vitest";
import { createTimeLimit } from "./time-limit.ts";

test("the signal aborts when the time is over", () => {
  vi.useFakeTimers();
  try {
    using limit = createTimeLimit({ signal: new AbortController().signal, ms: 50 });
    vi.advanceTimersByTime(49);
    expect(limit.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect([limit.signal.aborted, limit.expired]).toEqual([true, true]);
  } finally {
    vi.useRealTimers();
  }
});

test("the signal aborts with its parent, for the parent's reason, and is not expired", () => {
  const parent = new AbortController();
  using limit = createTimeLimit({ signal: parent.signal, ms: 60_000 });
  parent.abort("gone");
  expect([limit.signal.reason, limit.expired]).toEqual(["gone", false]);
});

test("a parent that had aborted already is noticed", () => {
  using limit = createTimeLimit({ signal: AbortSignal.abort("gone"), ms: 60_000 });
  expect(limit.signal.reason).toBe("gone");
});

test("nothing is left on the clock or on the parent afterwards", () => {
  vi.useFakeTimers();
  try {
    const parent = new AbortController();
    createTimeLimit({ signal: parent.signal, ms: 60_000 })[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a limit beyond what a timer can hold never fires", () => {
  vi.useFakeTimers();
  try {
    using limit = createTimeLimit({ signal: new AbortController().signal, ms: Number.POSITIVE_INFINITY });
    vi.advanceTimersByTime(1000);
    expect(limit.signal.aborted).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});
