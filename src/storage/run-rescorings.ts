import { randomUUID } from "node:crypto";
import type { RescoreHold } from "../contract/store.ts";
import type { Database, Writer } from "./database.ts";
import { furthestLease } from "./leases/lease-time.ts";
import { isDeadWorker, rememberWorker, type Place } from "./leases/worker-processes.ts";
import { holdRun } from "./queries/run-sequence.ts";
import { unfinishedRunStates } from "./queries/states.ts";

/** Lets one process at a time score a run again. */
export interface RunRescorings {
  /** Null when another process holds it, or when there is no such run that has ended. */
  hold(runId: string): Promise<RescoreHold | null>;
  release(hold: RescoreHold): Promise<void>;
  close(): void;
}

export interface RescoringsOptions {
  readonly database: Database;
  /** The time by which leases are judged, the same for all processes. */
  readonly readNow: (writer: Writer) => Promise<number>;
  readonly place: Place;
  /** How long a process that has died holds what it held, for those who cannot look. */
  readonly leaseMs?: number;
  readonly onError: (error: unknown) => void;
}

/** For a store whose runs nobody scores again. */
export const noRescorings: RunRescorings = { hold: async () => null, release: async () => {}, close() {} };

export function createRunRescorings(options: RescoringsOptions): RunRescorings {
  const { database, readNow, place, leaseMs = 15_000, onError } = options;
  const process = `${place.host}:${place.pid}:${randomUUID()}`;
  rememberWorker(process);
  /** What this process holds, by its token. */
  const timers = new Map<string, NodeJS.Timeout>();

  function isFree(holder: Holder, now: number): boolean {
    if (holder.process === process) return !timers.has(holder.token);
    const isOver = holder.lease_until <= now || holder.lease_until > furthestLease({ now, leaseMs });
    return isOver || isDeadWorker(holder.process, place);
  }

  async function take(writer: Writer, { run_id, token }: RescoreHold): Promise<boolean> {
    await holdRun(writer, run_id);
    const now = await readNow(writer);
    const held = writer.selectFrom("run_rescoring").where("run_id", "=", run_id);
    const holder = await held.select(["process", "token", "lease_until"]).executeTakeFirst();
    if (holder && !isFree(holder, now)) return false;
    await writer.deleteFrom("run_rescoring").where("run_id", "=", run_id).execute();
    const taken = await writer
      .insertInto("run_rescoring")
      .columns(["run_id", "process", "token", "lease_until"])
      .expression(({ selectFrom, val }) =>
        selectFrom("run")
          .where("id", "=", run_id)
          .where("removed", "=", 0)
          .where("state", "not in", unfinishedRunStates)
          .select([
            "id",
            val(process).as("process"),
            val(token).as("token"),
            val<number>(now + leaseMs).as("lease_until"),
          ]),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning("run_id")
      .execute();
    return taken.length > 0;
  }

  async function renew({ run_id, token }: RescoreHold): Promise<void> {
    await database.write(async (writer) => {
      const lease_until = (await readNow(writer)) + leaseMs;
      const held = writer.updateTable("run_rescoring").where("run_id", "=", run_id).where("token", "=", token);
      await held.set({ lease_until }).execute();
    });
  }

  function letGo(token: string): void {
    clearInterval(timers.get(token));
    timers.delete(token);
  }

  return {
    async hold(runId) {
      const hold = { run_id: runId, token: randomUUID() };
      timers.set(hold.token, setInterval(() => void renew(hold).catch(onError), leaseMs / 3).unref());
      let taken = false;
      try {
        taken = await database.write((writer) => take(writer, hold));
      } finally {
        if (!taken) letGo(hold.token);
      }
      return taken ? hold : null;
    },
    async release({ run_id, token }) {
      letGo(token);
      await database.write((writer) =>
        writer.deleteFrom("run_rescoring").where("run_id", "=", run_id).where("token", "=", token).execute(),
      );
    },
    close() {
      for (const token of timers.keys()) letGo(token);
    },
  };
}

interface Holder {
  readonly process: string;
  readonly token: string;
  readonly lease_until: number;
}
