import { sql } from "kysely";
import type { Reader } from "../database.ts";

/** The time of day as the database has it. Hosts whose own clocks are apart agree on when a run began, and on how old it is. */
interface WallClock {
  now(): number;
  /** Compares the clock of this host with that of the database. */
  adjust(): Promise<void>;
}

/** Goes by the clock of this host until it has been adjusted, and from then on by how far that was off. */
export function createWallClock(reader: Reader, now: () => number = Date.now): WallClock {
  let offset = 0;

  return {
    now: () => now() + offset,
    async adjust() {
      const before = now();
      const { rows } = await sql<{ now: number }>`
        select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(reader);
      // It was read at some moment between asking and being told.
      offset = Math.round(rows[0]!.now - (before + now()) / 2);
    },
  };
}
