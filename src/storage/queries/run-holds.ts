import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { RescoreHold } from "../../contract/ports/store.ts";
import type { Database, Reader, Writer } from "../tables/database.ts";
import { isDeadWorker, isStoppedWorker, type HostProcess } from "../tables/host.ts";
import type { Presence } from "../leases/presence.ts";
import { unfinishedRunStates } from "./conditions.ts";

/**
 * Takes the next turn number of a run and locks the run until the transaction ends. Numbers are thus committed in
 * order, and concurrent changes of a run (a turn and a cancellation, the ends of two attempts) see each other. Every
 * transaction on a run begins here or with `lockRunsAndAttempts`, which does the same for many runs, so they cannot
 * deadlock. A turn on a database with a single writer needs none of this.
 */
export async function lockRun(writer: Writer, runId: string): Promise<void> {
  await writer
    .updateTable("run_sequence")
    .where("run_id", "=", runId)
    .set((update) => ({ last: update("last", "+", 1) }))
    .execute();
}

/**
 * Records which processes execute the runs tied to a process. A run may have no attempt in progress and still be
 * executed, for example before its first attempt or while all are delayed, so the liveness of the process decides.
 */
export interface RunCarriers {
  /** Must come before the write that `add` is part of: from then on other processes see that this one lives. */
  announce(): Promise<void>;
  /** This process executes the run from now on. No effect for a run that is not tied. */
  add(writer: Writer, runId: string): Promise<void>;
  /** The given runs that a live process executes. */
  carried(reader: Reader, runIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** For a store without tied runs. */
export const noCarriers: RunCarriers = {
  announce: async () => {},
  add: async () => {},
  carried: async (_reader, runIds) => new Set(runIds),
};

export function createRunCarriers(presence: Presence, location: HostProcess): RunCarriers {
  /**
   * More is known about processes of this host than the database says: one may just have been killed, or be suspended.
   */
  function isThere({ process, lives }: { readonly process: string; readonly lives: number }): boolean {
    return lives === 1 ? !isDeadWorker(process, location) : isStoppedWorker(process, location);
  }

  return {
    async announce() {
      presence.hold("runs");
      await presence.ensureVisible();
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

/** Lets one process at a time rescore a run. */
export interface RunRescorings {
  /** Null when another process holds it, or the run does not exist or has not ended. */
  hold(runId: string): Promise<RescoreHold | null>;
  release(hold: RescoreHold): Promise<void>;
}

/** For a store without rescoring. */
export const noRescorings: RunRescorings = { hold: async () => null, release: async () => {} };

export function createRunRescorings(database: Database, presence: Presence): RunRescorings {
  async function isFree(writer: Writer, runId: string): Promise<boolean> {
    const lives = await presence.isAlive(writer, "run_rescoring.process");
    const holder = await writer
      .selectFrom("run_rescoring")
      .where("run_id", "=", runId)
      .select(["process", "token"])
      .select(sql<number>`case when ${lives} then 1 else 0 end`.as("lives"))
      .executeTakeFirst();
    if (!holder) return true;
    // The row may remain after a release: the disk was full, or the connection lost.
    return holder.process === presence.id ? !presence.holds(holder.token) : holder.lives !== 1;
  }

  async function take(writer: Writer, { run_id, token }: RescoreHold): Promise<boolean> {
    await lockRun(writer, run_id);
    if (!(await isFree(writer, run_id))) {
      await presence.sweep(writer);
      if (!(await isFree(writer, run_id))) return false;
    }
    await presence.markAlive(writer);
    await writer.deleteFrom("run_rescoring").where("run_id", "=", run_id).execute();
    const taken = await writer
      .insertInto("run_rescoring")
      .columns(["run_id", "process", "token"])
      .expression(({ selectFrom, val }) =>
        selectFrom("run")
          .where("id", "=", run_id)
          .where("removed", "=", 0)
          .where("state", "not in", unfinishedRunStates)
          .select(["id", val(presence.id).as("process"), val(token).as("token")]),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning("run_id")
      .execute();
    return taken.length > 0;
  }

  return {
    async hold(runId) {
      const hold = { run_id: runId, token: randomUUID() };
      presence.hold(hold.token);
      let taken = false;
      try {
        taken = await database.write((writer) => take(writer, hold));
      } finally {
        if (!taken) presence.release(hold.token);
      }
      return taken ? hold : null;
    },
    async release({ run_id, token }) {
      presence.release(token);
      await database.write((writer) =>
        writer.deleteFrom("run_rescoring").where("run_id", "=", run_id).where("token", "=", token).execute(),
      );
    },
  };
}

/** True when the hold is still valid: no other process has taken the run over, nor can until the transaction ends. */
export async function ownsRescoring(writer: Writer, { run_id, token }: RescoreHold): Promise<boolean> {
  await lockRun(writer, run_id);
  const rows = await writer
    .selectFrom("run_rescoring")
    .where("run_id", "=", run_id)
    .where("token", "=", token)
    .select("run_id")
    .execute();
  return rows.length > 0;
}
