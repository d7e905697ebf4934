import { describe, expect, test } from "vitest";
import type { StoredKey } from "../../src/contract/ports/api-keys.ts";
import type { Database } from "../../src/storage/tables/database.ts";
import { openPostgresDatabase } from "../../src/storage/drivers/postgres-database.ts";
import { openSqliteDatabase } from "../../src/storage/drivers/sqlite-database.ts";
import { createKeyRates, tidyKeyRates } from "../../src/storage/queries/api-keys.ts";
import { createKeyRecords } from "../../src/storage/queries/api-keys.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";

async function onSqlite(work: (database: Database) => Promise<void>): Promise<void> {
  const database = await openSqliteDatabase({ file: ":memory:" });
  await work(database).finally(() => database.close());
}

async function onPostgres(work: (database: Database) => Promise<void>): Promise<void> {
  await using place = await createTestDatabase();
  const { database, close } = await openPostgresDatabase({ url: place.url });
  await work(database).finally(close);
}

const stored = (id: string, more: Partial<StoredKey> = {}): StoredKey => ({
  id,
  owner: "ci",
  scopes: ["evaluate", "runs:read"],
  sha256: id.repeat(8),
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: null,
  revoked_at: null,
  ...more,
});

describe.each([
  ["SQLite", onSqlite],
  ["PostgreSQL", onPostgres],
] as const)("API keys on %s", (_name, on) => {
  test("are listed as they were made, with their last use, and end once", async () => {
    await on(async (database) => {
      const keys = createKeyRecords(database);
      const [first, second] = [stored("aaaaaaaa"), stored("bbbbbbbb", { expires_at: "2027-01-01T00:00:00.000Z" })];
      await keys.add([first]);
      await keys.add([second]);
      await keys.noteUse(new Map([["bbbbbbbb", "2026-02-02T00:00:00.000Z"]]));
      // A process whose time is written late does not undo a later one.
      await keys.noteUse(
        new Map([["bbbbbbbb", "2026-02-01T00:00:00.000Z"]]).set("unknown1", "2026-02-01T00:00:00.000Z"),
      );
      expect(await keys.list()).toEqual([
        { ...first, last_used_at: null },
        { ...second, last_used_at: "2026-02-02T00:00:00.000Z" },
      ]);
      expect(await keys.revoke("aaaaaaaa", "2026-03-01T00:00:00.000Z")).toBe(true);
      expect(await keys.revoke("aaaaaaaa", "2026-04-01T00:00:00.000Z")).toBe(true);
      expect([await keys.revoke("unknown1", "2026-03-01T00:00:00.000Z"), await keys.revoke("\0", "")]).toEqual([
        false,
        false,
      ]);
      expect(await keys.list()).toMatchObject([{ revoked_at: "2026-03-01T00:00:00.000Z" }, { revoked_at: null }]);
    });
  });

  test("that are added again stay as they are, but for a revocation", async () => {
    await on(async (database) => {
      const keys = createKeyRecords(database);
      await keys.add([stored("aaaaaaaa"), stored("bbbbbbbb")]);
      await keys.revoke("aaaaaaaa", "2026-03-01T00:00:00.000Z");
      const again = [
        stored("aaaaaaaa", { owner: "else" }),
        stored("bbbbbbbb", { revoked_at: "2026-05-01T00:00:00.000Z" }),
      ];
      await keys.add(again);
      await keys.add([]);
      expect(await keys.list()).toMatchObject([
        { owner: "ci", revoked_at: "2026-03-01T00:00:00.000Z" },
        { owner: "ci", revoked_at: "2026-05-01T00:00:00.000Z" },
      ]);
    });
  });
});

describe.each([
  ["SQLite", onSqlite],
  ["PostgreSQL", onPostgres],
] as const)("rates of API keys on %s", (_name, on) => {
  const minute = 60_000;

  test("many leases at once are together as many as the limit allows", async () => {
    await on(async (database) => {
      const rates = createKeyRates({ database, readNow: async () => minute });
      const ask = (name: string) => rates.lease({ name, limit: 50, wanted: 7 });
      const leases = await Promise.all(Array.from({ length: 20 }, () => ask("agent a")));
      expect(leases.reduce((sum, { granted }) => sum + granted, 0)).toBe(50);
      expect(leases.find(({ granted }) => granted === 0)?.waitMs).toBeGreaterThan(0);
      expect(await ask("agent b")).toEqual({ granted: 7, window: minute, waitMs: 0 });
    });
  });

  test("a use counts for a minute, less and less in the next, and not if it was given back in time", async () => {
    await on(async (database) => {
      let now = minute;
      const rates = createKeyRates({ database, readNow: async () => now });
      const lease = async (wanted: number, unused?: { granted: number; window: number }) =>
        (await rates.lease({ name: "a", limit: 10, wanted, unused })).granted;
      expect([await lease(10), await lease(1)]).toEqual([10, 0]);
      expect(await lease(10, { granted: 4, window: minute })).toBe(4);
      now = 2 * minute;
      expect(await lease(1)).toBe(0);
      now = 2.5 * minute;
      expect(await lease(10)).toBe(5);
      expect(await lease(10, { granted: 2, window: minute })).toBe(1);
      // Unused leases of an expired window give back nothing.
      now = 4.5 * minute;
      expect([await lease(10), await lease(10, { granted: 5, window: 2 * minute })]).toEqual([10, 0]);
    });
  });

  test("are forgotten when they do not count any more", async () => {
    await on(async (database) => {
      let now = minute;
      const rates = createKeyRates({ database, readNow: async () => now });
      await rates.lease({ name: "old", limit: 1, wanted: 1 });
      now = 10 * minute;
      await rates.lease({ name: "new", limit: 1, wanted: 1 });
      await database.write((writer) => tidyKeyRates(writer, now));
      expect(await database.reader.selectFrom("key_rate").select("name").execute()).toEqual([{ name: "new" }]);
    });
  });
});
