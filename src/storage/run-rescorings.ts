import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { RescoreHold } from "../contract/ports/store.ts";
import type { Database, Writer } from "./database.ts";
import type { Presence } from "./presence.ts";
import { holdRun } from "./queries/run-sequence.ts";
import { unfinishedRunStates } from "./queries/states.ts";

/** Lets one process at a time score a run again. */
export interface RunRescorings {
  /** Null when another process holds it, or when there is no such run that has ended. */
  hold(runId: string): Promise<RescoreHold | null>;
  release(hold: RescoreHold): Promise<void>;
}

/** For a store whose runs nobody scores again. */
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
    // What we have let go of may still be there: the disk was full, or the connection broken.
    return holder.process === presence.id ? !presence.holds(holder.token) : holder.lives !== 1;
  }

  async function take(writer: Writer, { run_id, token }: RescoreHold): Promise<boolean> {
    await holdRun(writer, run_id);
    if (!(await isFree(writer, run_id))) {
      await presence.sweep(writer);
      if (!(await isFree(writer, run_id))) return false;
    }
    await presence.show(writer);
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
        if (!taken) presence.letGo(hold.token);
      }
      return taken ? hold : null;
    },
    async release({ run_id, token }) {
      presence.letGo(token);
      await database.write((writer) =>
        writer.deleteFrom("run_rescoring").where("run_id", "=", run_id).where("token", "=", token).execute(),
      );
    },
  };
}
