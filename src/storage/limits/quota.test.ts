import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteDatabase } from "../drivers/sqlite-database.ts";
import { maxMinShares } from "./algorithms.ts";
import { renewQuota, type QuotaRequest } from "./quota.ts";

const minute = 60_000;

/** Workers that renew at times of the test. Each wants a concurrency of its own. */
async function endpoint() {
  const database = await openSqliteDatabase({ file: ":memory:" });
  onTestFinished(() => database.close());
  return (worker: string, now: number, settlement: Partial<QuotaRequest>) =>
    database.write((writer) =>
      renewQuota(writer, now, {
        endpoint: "endpoint",
        worker,
        limits: { concurrency: 1_000, shared: false },
        inUse: 0,
        wanted: 0,
        permits: 0,
        leaseMs: 20 * minute,
        ok: 0,
        refusedMs: null,
        unusedPermits: 0,
        measured: { calls: 0, tokens: 0 },
        pauseMs: 0,
        ...settlement,
      }),
    );
}

test("applies a learned limit to all workers for ten minutes", async () => {
  const renew = await endpoint();
  expect(await renew("a", 1_000, { wanted: 100 })).toMatchObject({ slots: 100, share: 100 });
  expect(await renew("b", 1_000, { wanted: 20 })).toMatchObject({ slots: 20, share: 20 });
  // 120 calls were in flight.
  expect(await renew("a", 2_000, { wanted: 100, inUse: 10, refusedMs: 50 })).toMatchObject({ slots: 40, share: 40 });
  expect(await renew("b", 3_000, { wanted: 100, inUse: 20 })).toMatchObject({ slots: 20, share: 30 });
  expect(await renew("a", 4_000, { wanted: 100, inUse: 30 })).toMatchObject({ slots: 30, share: 30 });
  expect(await renew("c", 2_000 + 9 * minute, { wanted: 100 })).toMatchObject({ slots: 10, share: 20 });
  expect(await renew("c", 2_000 + 10 * minute, { wanted: 100, inUse: 10 })).toMatchObject({ slots: 100, share: 100 });
});

test("counts only workers with a shared limit against that limit", async () => {
  const renew = await endpoint();
  const limits = { concurrency: 16 };
  await renew("own", 1_000, { wanted: 100 });
  expect(await renew("a", 1_000, { wanted: 20, limits })).toMatchObject({ slots: 16, share: 16 });
  expect(await renew("b", 1_000, { wanted: 20, limits })).toMatchObject({ slots: 0, share: 8 });
  expect(await renew("own", 1_000, { wanted: 200 })).toMatchObject({ slots: 200, share: 200 });
});

const demand = (worker: string, wanted: number, granted_at = 0) => ({ worker, wanted, granted_at });

test("gives equal shares and passes unused ones on", () => {
  expect(Object.fromEntries(maxMinShares([demand("a", 9), demand("b", 9)], 8))).toEqual({ a: 4, b: 4 });
  expect(Object.fromEntries(maxMinShares([demand("a", 1), demand("b", 9)], 8))).toEqual({ a: 1, b: 7 });
});

test("gives a small remainder to the workers that waited longest", () => {
  const shares = maxMinShares([demand("a", 9, 30), demand("b", 9, 10), demand("c", 9, 20)], 5);
  expect(Object.fromEntries(shares)).toEqual({ a: 1, b: 2, c: 2 });
  expect(Object.fromEntries(maxMinShares([demand("a", 1, 2), demand("b", 1, 1)], 1))).toEqual({ a: 0, b: 1 });
});

test("allocates every slot once and never more than a worker wants", () => {
  const demands = fc.uniqueArray(
    fc.record({ worker: fc.string(), wanted: fc.nat({ max: 50 }), granted_at: fc.nat({ max: 5 }) }),
    { selector: ({ worker }) => worker, maxLength: 12 },
  );
  fc.assert(
    fc.property(demands, fc.nat({ max: 100 }), (all, calls) => {
      const shares = maxMinShares(all, calls);
      const given = all.reduce((sum, { worker }) => sum + shares.get(worker)!, 0);
      expect(given).toBe(
        Math.min(
          calls,
          all.reduce((sum, { wanted }) => sum + wanted, 0),
        ),
      );
      const unsatisfied = all.filter(({ worker, wanted }) => shares.get(worker)! < wanted);
      for (const { worker, wanted } of all) {
        expect(shares.get(worker)).toBeLessThanOrEqual(wanted);
        for (const poor of unsatisfied) expect(shares.get(worker)! - shares.get(poor.worker)!).toBeLessThanOrEqual(1);
      }
    }),
  );
});
