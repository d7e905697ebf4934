import { expect, test } from "vitest";
import { openSqliteDatabase } from "../drivers/sqlite-database.ts";
import { renewQuota } from "./quota.ts";
import { tidyLimits } from "./create-limits.ts";

const hour = 3_600_000;

test("deletes slots of dead workers and unused endpoints, and keeps all others", async () => {
  const database = await openSqliteDatabase({ file: ":memory:" });
  const now = 100 * hour;
  const renew = (endpoint: string, at: number) =>
    database.write((writer) =>
      renewQuota(writer, at, {
        endpoint,
        worker: `worker of ${endpoint}`,
        limits: { concurrency: 4 },
        inUse: 1,
        wanted: 1,
        permits: 0,
        leaseMs: 5_000,
        ok: 1,
        refusedMs: null,
        unusedPermits: 0,
        measured: { calls: 0, tokens: 0 },
        pauseMs: 0,
      }),
    );
  await renew("in use", now);
  await renew("of this morning", now - 5 * hour);
  await renew("of last week", now - 30 * hour);
  await renew("before the clock started again", now + 50 * hour);
  await database.write((writer) => tidyLimits(writer, now));
  const endpoints = (table: "endpoint_limit" | "endpoint_slots") =>
    database.reader.selectFrom(table).select("endpoint").orderBy("endpoint").execute();
  expect(await endpoints("endpoint_limit")).toEqual([{ endpoint: "in use" }, { endpoint: "of this morning" }]);
  expect(await endpoints("endpoint_slots")).toEqual([{ endpoint: "in use" }]);
  await database.close();
});
