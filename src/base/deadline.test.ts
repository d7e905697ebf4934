import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { pause, untilAborted } from "./deadline.ts";

test("ends by itself, and lets go of the signal", async () => {
  const { signal } = new AbortController();
  await pause(1, signal);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  await pause(1);
});

test("ends at once with the reason of the signal", async () => {
  const controller = new AbortController();
  const waiting = pause(600_000, controller.signal);
  const reason = new Error("enough");
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(pause(600_000, controller.signal)).rejects.toBe(reason);
});

test("work that ignores its signal is left behind", async () => {
  const controller = new AbortController();
  const result = untilAborted(new Promise(() => {}), controller.signal);
  controller.abort(new Error("enough"));
  await expect(result).rejects.toThrow("enough");
});

test("work that settles lets go of the signal", async () => {
  const { signal } = new AbortController();
  await expect(untilAborted(Promise.resolve(7), signal)).resolves.toBe(7);
  await expect(untilAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
