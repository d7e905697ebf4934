import { expect, test } from "vitest";
import { createLocks } from "./locks.ts";

const { signal } = new AbortController();

test("one at a time for each key, in order", async () => {
  const locks = createLocks();
  const order: string[] = [];
  const first = await locks.acquire("a", signal);
  const second = locks.acquire("a", signal).then((release) => (order.push("second"), release));
  const third = locks.acquire("a", signal).then((release) => (order.push("third"), release));
  const other = await locks.acquire("b", signal);
  other();
  order.push("first");
  first();
  (await second)();
  (await third)();
  expect(order).toEqual(["first", "second", "third"]);
});

test("who gives up does not hold up those behind, nor let them pass early", async () => {
  const locks = createLocks();
  const controller = new AbortController();
  const first = await locks.acquire("a", signal);
  const second = locks.acquire("a", controller.signal);
  let passed = false;
  const third = locks.acquire("a", signal).then((release) => ((passed = true), release));
  controller.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  expect(passed).toBe(false);
  first();
  (await third)();
});
