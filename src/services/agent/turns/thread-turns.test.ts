import { expect, test } from "vitest";
import { createLocks } from "./thread-turns.ts";

const { signal } = new AbortController();

test("admits one caller at a time for each key, in order", async () => {
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

test("neither blocks nor admits later callers when a waiting one gives up", async () => {
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
