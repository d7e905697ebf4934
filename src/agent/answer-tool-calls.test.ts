import { expect, test } from "vitest";
import { inParallel } from "./answer-tool-calls.ts";

test("no more than the limit run at once and the order is kept", async () => {
  let running = 0;
  let most = 0;
  const results = await inParallel([5, 1, 4, 2, 3], 2, async (item) => {
    most = Math.max(most, ++running);
    for (let turn = 0; turn < item; turn += 1) await Promise.resolve();
    running -= 1;
    return item * 10;
  });
  expect(results).toEqual([50, 10, 40, 20, 30]);
  expect(most).toBe(2);
});

test("a limit below one still gets the work done", async () => {
  expect(await inParallel([1, 2], 0, async (item) => item)).toEqual([1, 2]);
});

test("no items, no work", async () => {
  expect(await inParallel([], 4, async () => 1)).toEqual([]);
});

test("a rejection rejects", async () => {
  await expect(inParallel([1], 4, () => Promise.reject(new Error("stop")))).rejects.toThrow("stop");
});
