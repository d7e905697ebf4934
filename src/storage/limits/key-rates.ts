import type { KeyRates, RateRequest } from "../../contract/ports/api-keys.ts";
import { countsAt, usesLeft, waitForUse, type SlidingCounts } from "../../base/sliding-counts.ts";
import type { Database, Writer } from "../database.ts";

const windowMs = 60_000;

export interface KeyRatesOptions {
  readonly database: Database;
  /** The time that windows are measured on, the same for all processes. */
  readonly readNow: (writer: Writer) => Promise<number>;
}

/** Rate limits on any database that has our schema. The row of a key is held while its uses are counted, so that the sum is exact. */
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

/** Forgets keys that were not used in this window or the one before, and windows that lie ahead since a clock was set back. */
export async function tidyKeyRates(writer: Writer, now: number): Promise<void> {
  await writer
    .deleteFrom("key_rate")
    .where(({ eb, or }) => or([eb("window_start", "<", now - 3 * windowMs), eb("window_start", ">", now + windowMs)]))
    .execute();
}
