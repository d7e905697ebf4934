import { sql } from "kysely";
import type { Reader, Writer } from "./database.ts";
import type { Presence } from "./presence.ts";
import { isDeadWorker, isStoppedWorker, type Place } from "./leases/worker-processes.ts";

/**
 * Knows which processes carry out the runs that are tied to one. A run may have no attempt under way and be carried out all the
 * same, as before its first one or while all of them rest: so it is the process that counts, and that shows that it lives.
 */
export interface RunCarriers {
  /** Must come before the write that `add` is part of: from then on the others see that we live. */
  announce(): Promise<void>;
  /** This process carries the run out from now on. Changes nothing for a run that is not tied. */
  add(writer: Writer, runId: string): Promise<void>;
  /** Those of the runs that a living process carries out. */
  carried(reader: Reader, runIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** For a store whose runs are tied to no process. */
export const noCarriers: RunCarriers = {
  announce: async () => {},
  add: async () => {},
  carried: async (_reader, runIds) => new Set(runIds),
};

export function createRunCarriers(presence: Presence, place: Place): RunCarriers {
  /** Of a process of this host more is known than the database says: one may have been killed a moment ago, or be stopped. */
  function isThere({ process, lives }: { readonly process: string; readonly lives: number }): boolean {
    return lives === 1 ? !isDeadWorker(process, place) : isStoppedWorker(process, place);
  }

  return {
    async announce() {
      presence.hold("runs");
      await presence.ensure();
    },
    async add(writer, runId) {
      await writer
        .insertInto("run_carrier")
        .columns(["run_id", "process"])
        .expression(({ selectFrom, val }) =>
          selectFrom("run")
            .where("id", "=", runId)
            .where("tied", "=", 1)
            .select(["id", val(presence.id).as("process")]),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async carried(reader, runIds) {
      if (runIds.length === 0) return new Set();
      const lives = await presence.isAlive(reader, "run_carrier.process");
      const rows = await reader
        .selectFrom("run_carrier")
        .where("run_id", "in", runIds)
        .selectAll()
        .select(sql<number>`case when ${lives} then 1 else 0 end`.as("lives"))
        .execute();
      return new Set(rows.filter(isThere).map(({ run_id }) => run_id));
    },
  };
}
