import { ServerResponse, IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createKeyExpiryWatch } from "./auth.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const answer = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

test("cuts the responses of a key that ends, and no others", async () => {
  const usable = new Set(["a", "b"]);
  const endWithKey = createKeyExpiryWatch({ isUsable: async (key) => usable.has(key), everyMs: 1000 });
  const [first, second] = [answer(), answer()];
  endWithKey(first, "a");
  endWithKey(second, "b");
  await vi.advanceTimersByTimeAsync(1000);
  expect([first.destroyed, second.destroyed]).toEqual([false, false]);
  usable.delete("a");
  await vi.advanceTimersByTimeAsync(1000);
  expect([first.destroyed, second.destroyed]).toEqual([true, false]);
});

test("cuts nothing while the keys cannot be read", async () => {
  const endWithKey = createKeyExpiryWatch({ isUsable: () => Promise.reject(new Error("unreadable")), everyMs: 1000 });
  const open = answer();
  endWithKey(open, "a");
  await vi.advanceTimersByTimeAsync(5000);
  expect(open.destroyed).toBe(false);
});

test("checks nothing once every response has ended", async () => {
  const isUsable = vi.fn<() => Promise<boolean>>(async () => true);
  const endWithKey = createKeyExpiryWatch({ isUsable, everyMs: 1000 });
  const open = answer();
  endWithKey(open, "a");
  open.emit("close");
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(5000);
  expect(isUsable).not.toHaveBeenCalled();
});
