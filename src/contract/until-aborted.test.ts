import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { untilAborted } from "./until-aborted.ts";

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
