import { sql } from "kysely";
import { countsAt, usesLeft, waitForUse, type SlidingCounts } from "../../base/sliding-counts.ts";
import type { KeyRates, KeyRecords, RateRequest } from "../../contract/ports/api-keys.ts";
import type { Database, Writer } from "../tables/database.ts";
import { fromJsonText, isPlainId, toJsonText } from "../tables/text-columns.ts";

/** Stores API keys that services share. */
export function createKeyRecords({ reader, write }: Database): KeyRecords {
  return {
    async list() {
      const rows = await reader.selectFrom("api_key").orderBy("created_at").orderBy("id").selectAll().execute();
      return rows.map((row) => ({ ...row, scopes: fromJsonText(row.scopes) }));
    },
    async add(keys) {
      if (keys.length === 0) return;
      const rows = keys.map((key) => ({ ...key, scopes: toJsonText(key.scopes), last_used_at: null }));
      await write((writer) =>
        writer
          .insertInto("api_key")
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .column("id")
              .doUpdateSet({ revoked_at: sql`excluded.revoked_at` })
              .where(sql<boolean>`api_key.revoked_at is null and excluded.revoked_at is not null`),
          )
          .execute(),
      );
    },
    async revoke(id, at) {
      if (!isPlainId(id)) return false;
      const revoked = await write((writer) =>
        writer
          .updateTable("api_key")
          .where("id", "=", id)
          .set({ revoked_at: sql`coalesce(revoked_at, ${at})` })
          .returning("id")
          .execute(),
      );
      return revoked.length > 0;
    },
    async noteUse(times) {
      await write(async (writer) => {
        // In a fixed order, so that concurrent writers cannot deadlock.
        for (const [id, at] of [...times].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
          await writer
            .updateTable("api_key")
            .where("id", "=", id)
            .where(sql<boolean>`(last_used_at is null or last_used_at < ${at})`)
            .set({ last_used_at: at })
            .execute();
        }
      });
    },
  };
}

const windowMs = 60_000;

interface KeyRatesOptions {
  readonly database: Database;
  /** The time that windows are measured on, the same for all processes. */
  readonly readNow: (writer: Writer) => Promise<number>;
}

/** Rate limits of API keys. The row of a key is locked while its uses are counted, so that the sum is exact. */
export function createKeyRates({ database, readNow }: KeyRatesOptions): KeyRates {
  return {
    lease: ({ name, limit, wanted, unused }) =>
      database.write(async (writer) => {
        const at = { limit, windowMs, now: await readNow(writer) };
        const counts = giveBack(countsAt(await holdRow(writer, name), at), unused);
        const { start: window, current, previous } = counts;
        const granted = Math.min(wanted, usesLeft(counts, at));
        await writer
          .updateTable("key_rate")
          .where("name", "=", name)
          .set({ window_start: window, current: current + granted, previous })
          .execute();
        return { granted, window, waitMs: granted > 0 ? 0 : waitForUse(counts, at) };
      }),
  };
}

/** Deletes keys unused in this window and the one before, and windows in the future, left when a clock was set back. */
export async function tidyKeyRates(writer: Writer, now: number): Promise<void> {
  await writer
    .deleteFrom("key_rate")
    .where(({ eb, or }) => or([eb("window_start", "<", now - 3 * windowMs), eb("window_start", ">", now + windowMs)]))
    .execute();
}

function giveBack(counts: SlidingCounts, unused: RateRequest["unused"]): SlidingCounts {
  if (!unused) return counts;
  const { start, current, previous } = counts;
  if (unused.window === start) return { start, current: current - unused.granted, previous };
  if (unused.window === start - windowMs) return { start, current, previous: previous - unused.granted };
  return counts;
}

async function holdRow(writer: Writer, name: RateRequest["name"]): Promise<SlidingCounts> {
  const { window_start, current, previous } = await writer
    .insertInto("key_rate")
    .values({ name, window_start: 0, current: 0, previous: 0 })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ name }))
    .returning(["window_start", "current", "previous"])
    .executeTakeFirstOrThrow();
  return { start: window_start, current, previous };
}
