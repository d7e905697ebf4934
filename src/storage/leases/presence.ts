import { randomUUID } from "node:crypto";
import { sql, type Expression, type SqlBool } from "kysely";
import type { Database, Reader, Writer } from "../tables/database.ts";
import { isDeadWorker, registerWorker, type HostProcess } from "../tables/host.ts";

export interface PresenceOptions {
  readonly database: Database;
  /** The time that leases are measured on, the same for all processes. */
  readonly readNow: (reader: Reader) => Promise<number>;
  readonly location: HostProcess;
  /** How long a dead process counts as alive for processes of other hosts. */
  readonly leaseMs?: number | undefined;
  readonly onError: (error: unknown) => void;
}

/**
 * Shows other processes on this database that this one lives while it holds something: a thread, an Idempotency-Key, a
 * run. Holds of a dead process are free, so a crash blocks nothing for longer than a lease.
 */
export interface Presence {
  /** Unique among all processes. */
  readonly id: string;
  /** Marks something as held until it is released. */
  hold(thing: string): void;
  holds(thing: string): boolean;
  release(thing: string): void;
  /** Resolves when other processes can see that this one lives. Must come before the write that holds something. */
  ensureVisible(): Promise<void>;
  /** Does the same as part of that write, for rare holds where one more row costs little. */
  markAlive(writer: Writer): Promise<void>;
  /** A condition that is true when the process named by a column is alive. */
  isAlive(reader: Reader, column: HolderColumn): Promise<Expression<SqlBool>>;
  /** Deletes the rows of dead processes. */
  sweep(writer: Writer): Promise<void>;
  /** Ends all holds of this process. */
  close(): Promise<void>;
}

type HolderColumn =
  | "agent_answer.process"
  | "agent_thread_hold.process"
  | "agent_run.process"
  | "agent_open_run.process"
  | "run_carrier.process"
  | "run_rescoring.process"
  | "world_endpoint.process";

export function createPresence({ database, readNow, location, leaseMs = 15_000, onError }: PresenceOptions): Presence {
  const id = `${location.host}:${location.pid}:${randomUUID()}`;
  registerWorker(id);
  const held = new Set<string>();
  let timer: NodeJS.Timeout | null = null;
  let seenAt = Number.NEGATIVE_INFINITY;
  let beating: Promise<void> | null = null;
  let swept = false;
  let hasRow = false;

  /** A time further ahead than any lease was set before the host restarted. */
  const alive = (now: number) => sql<SqlBool>`(alive_until > ${now} and alive_until <= ${now + 4 * leaseMs})`;

  async function sweep(writer: Writer): Promise<void> {
    const now = await readNow(writer);
    await writer
      .deleteFrom("agent_process")
      .where(sql<SqlBool>`not ${alive(now)}`)
      .execute();
    const others = await writer.selectFrom("agent_process").where("id", "!=", id).select("id").execute();
    const dead = others.map((other) => other.id).filter((other) => isDeadWorker(other, location));
    if (dead.length > 0) await writer.deleteFrom("agent_process").where("id", "in", dead).execute();
  }

  async function markAlive(writer: Writer): Promise<void> {
    hasRow = true;
    const alive_until = (await readNow(writer)) + leaseMs;
    await writer
      .insertInto("agent_process")
      .values({ id, alive_until })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ alive_until }))
      .execute();
  }

  function beat(): Promise<void> {
    return (beating ??= (async () => {
      const startedAt = performance.now();
      await database.write(async (writer) => {
        // Once is enough: processes that die later are noticed by the tidying of others, or when their lease expires.
        if (!swept) await sweep(writer);
        await markAlive(writer);
      });
      swept = true;
      seenAt = startedAt;
    })().finally(() => (beating = null)));
  }

  return {
    id,
    hold(thing) {
      held.add(thing);
      // The timer is kept: turns that follow each other would start and stop it each time.
      timer ??= setInterval(() => {
        if (held.size > 0) void beat().catch(onError);
      }, leaseMs / 3).unref();
    },
    holds: (thing) => held.has(thing),
    release: (thing) => void held.delete(thing),
    async ensureVisible() {
      if (performance.now() - seenAt > leaseMs / 2) await beat();
    },
    markAlive,
    async isAlive(reader, column) {
      const now = await readNow(reader);
      return sql<SqlBool>`exists (select 1 from agent_process where id = ${sql.ref(column)} and ${alive(now)})`;
    },
    sweep,
    async close() {
      if (timer) clearInterval(timer);
      timer = null;
      if (!hasRow) return;
      await database.write((writer) => writer.deleteFrom("agent_process").where("id", "=", id).execute());
    },
  };
}
