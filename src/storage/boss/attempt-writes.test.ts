import { expect, test } from "vitest";
import { ServiceError } from "../../contract/errors.ts";
import { createBatches } from "./attempt-writes.ts";

/** Batches that are let through one by one. */
function gatedBatches(run: (items: readonly number[]) => readonly number[]) {
  const seen: (readonly number[])[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const add = createBatches<number, number>({
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

test("what comes while a batch is under way goes together into the next, in order", async () => {
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

test("a failure is only its own: the others of its batch are done by themselves", async () => {
  const add = createBatches<number, number>({
    async run(items) {
      if (items.includes(2)) throw new Error("two is not allowed");
      return items;
    },
  });
  const results = await Promise.allSettled([add(1), add(2), add(3)]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("when the database is away all are told at once, and the next batch is tried again", async () => {
  let tries = 0;
  const add = createBatches<number, number>({
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
