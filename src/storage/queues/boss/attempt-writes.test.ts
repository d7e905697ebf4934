import { expect, test } from "vitest";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { createBatcher } from "./attempt-writes.ts";

/** Batches that are released one by one. */
function gatedBatches(run: (items: readonly number[]) => readonly number[]) {
  const seen: (readonly number[])[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const add = createBatcher<number, number>({
    most: 3,
    async run(items) {
      seen.push(items);
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      return run(items);
    },
  });
  async function open(): Promise<void> {
    while (gates.length === 0) await Promise.resolve();
    gates.shift()!.resolve();
  }
  return { add, seen, open };
}

test("gathers items that arrive during a batch into the next one, in order", async () => {
  const { add, seen, open } = gatedBatches((items) => items.map((item) => item * 10));
  const first = [add(1), add(2)];
  await Promise.resolve();
  const later = [add(3), add(4), add(5), add(6)];
  await open();
  expect(await Promise.all(first)).toEqual([10, 20]);
  await open();
  await open();
  expect(await Promise.all(later)).toEqual([30, 40, 50, 60]);
  expect(seen).toEqual([[1, 2], [3, 4, 5], [6]]);
});

test("retries the items of a failed batch one by one", async () => {
  const add = createBatcher<number, number>({
    async run(items) {
      if (items.includes(2)) throw new Error("two is not allowed");
      return items;
    },
  });
  const results = await Promise.allSettled([add(1), add(2), add(3)]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("rejects the whole batch when the database is unavailable, and tries the next", async () => {
  let tries = 0;
  const add = createBatcher<number, number>({
    async run(items) {
      tries += 1;
      if (tries === 1) throw new ServiceError("storage_unavailable", "away");
      return items;
    },
  });
  const results = await Promise.allSettled([add(1), add(2), add(3)]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(tries).toBe(1);
  expect(await add(4)).toBe(4);
});
