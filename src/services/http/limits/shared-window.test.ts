import { expect, test, vi } from "vitest";
import type { KeyRates } from "../../../contract/ports/api-keys.ts";
import { openSqliteDatabase } from "../../../storage/drivers/sqlite-database.ts";
import { createKeyRates } from "../../../storage/queries/api-keys.ts";
import { createSharedWindow, type CountUse } from "./shared-window.ts";

/** Services on one database, with a clock that the test moves. */
async function sharing({ limit, services = 2 }: { limit: number; services?: number }) {
  const database = await openSqliteDatabase({ file: ":memory:" });
  let time = 60_000;
  let fault: (() => Promise<never>) | null = null;
  const [asked, answered] = [{ count: 0 }, { count: 0 }];
  const errors: unknown[] = [];
  const rates = createKeyRates({ database, readNow: async () => time });
  const counted: KeyRates = {
    async lease(request) {
      asked.count += 1;
      const lease = await (fault ? fault() : rates.lease(request));
      answered.count += 1;
      return lease;
    },
  };
  const open = (): CountUse =>
    createSharedWindow({
      rates: counted,
      name: "agent",
      limit,
      onError: (error) => errors.push(error),
      leaseMs: 60_000,
      now: () => time,
    });
  return {
    windows: Array.from({ length: services }, open),
    asked,
    answered,
    errors,
    pass: (ms: number) => void (time += ms),
    break: (with_: typeof fault) => void (fault = with_),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

const admitted = (waits: readonly number[]): number => waits.filter((wait) => wait === 0).length;

test("applies a limit to all services together, however requests are spread", async () => {
  await using world = await sharing({ limit: 100, services: 3 });
  const { windows } = world;
  const one: number[] = [];
  for (let index = 0; index < 20; index += 1) one.push(await windows[0]!("key"));
  expect(admitted(one)).toBe(20);
  const burst = await Promise.all(Array.from({ length: 300 }, (_, index) => windows[index % 3]!("key")));
  // Uses leased by one service and not spent yet may be missing; more than the limit is never admitted.
  expect(admitted(burst)).toBeLessThanOrEqual(80);
  world.pass(1_000);
  const rest = await Promise.all(Array.from({ length: 300 }, (_, index) => windows[index % 3]!("key")));
  expect(admitted(burst) + admitted(rest)).toBe(80);
  expect(Math.min(...(await Promise.all(windows.map((count) => count("key")))))).toBeGreaterThan(1_000);
  expect(await windows[0]!("other")).toBe(0);
});

test("needs no query for most requests of a busy key, and one per second for a refused key", async () => {
  await using world = await sharing({ limit: 600, services: 1 });
  const [count] = world.windows;
  for (let index = 0; index < 600; index += 1) {
    expect(await count!("key")).toBe(0);
    world.pass(20);
  }
  expect(world.asked.count).toBeLessThan(60);
  world.asked.count = 0;
  for (let index = 0; index < 100; index += 1) {
    expect(await count!("key")).toBeGreaterThan(0);
    world.pass(20);
  }
  expect(world.asked.count).toBeLessThanOrEqual(3);
});

const four = async (count: CountUse) => [
  await count("key"),
  await count("key"),
  await count("key"),
  await count("key"),
];

test("limits per service while the database is unavailable, and shares again afterwards", async () => {
  await using world = await sharing({ limit: 3 });
  const [here, there] = world.windows as [CountUse, CountUse];
  world.break(() => Promise.reject(new Error("away")));
  expect([admitted(await four(here)), admitted(await four(there))]).toEqual([3, 3]);
  expect([world.asked.count, world.errors.length]).toEqual([2, 2]);
  world.break(null);
  world.pass(180_000);
  // The first request after that tries the database again, and does not wait for it.
  const found = [await here("other"), await there("other")];
  await vi.waitFor(() => expect(world.answered.count).toBe(2), { timeout: 20_000, interval: 1 });
  expect(found).toEqual([0, 0]);
  expect(admitted([...(await four(here)), ...(await four(there))])).toBe(3);
});

test("does not wait for an unresponsive database", async () => {
  const rates = { lease: () => new Promise<never>(() => {}) };
  const count = createSharedWindow({ rates, name: "agent", limit: 3, onError: () => {}, leaseMs: 1, now: () => 0 });
  expect(admitted(await four(count))).toBe(3);
});
