import { randomUUID } from "node:crypto";
import { sql, type Expression, type SqlBool } from "kysely";
import type { Database, Reader, Writer } from "./database.ts";
import { isDeadWorker, rememberWorker, type Place } from "./leases/worker-processes.ts";

export interface PresenceOptions {
  readonly database: Database;
  /** The time by which leases are judged, the same for all processes. */
  readonly readNow: (reader: Reader) => Promise<number>;
  readonly place: Place;
  /** How long a process that has died is taken for alive by those who cannot look. */
  readonly leaseMs?: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Tells the other processes on this database that we live, for as long as we hold something: a thread, an
 * Idempotency-Key, a run. What a dead process held is free, so a kill or a crash blocks nothing for longer than a lease.
 */
export interface Presence {
  /** Ours among all processes. */
  readonly id: string;
  /** We hold this, until it is let go. */
  hold(thing: string): void;
  holds(thing: string): boolean;
  letGo(thing: string): void;
  /** Resolves when the others can see that we live. Must come before the write that holds something. */
  ensure(): Promise<void>;
  /** The same as part of that write, where something is held so rarely that one more row costs nothing. */
  show(writer: Writer): Promise<void>;
  /** Whether the process named by a column is alive, as a condition. */
  isAlive(reader: Reader, column: HolderColumn): Promise<Expression<SqlBool>>;
  /** Forgets processes that are gone. */
  sweep(writer: Writer): Promise<void>;
  /** Nothing we held counts any more. */
  close(): Promise<void>;
}

type HolderColumn =
  | "agent_answer.process"
  | "agent_thread_hold.process"
  | "agent_run.process"
  | "agent_waiting_run.process"
  | "run_carrier.process"
  | "run_rescoring.process";

export function createPresence({ database, readNow, place, leaseMs = 15_000, onError }: PresenceOptions): Presence {
  const id = `${place.host}:${place.pid}:${randomUUID()}`;
  rememberWorker(id);
  const held = new Set<string>();
  let timer: NodeJS.Timeout | null = null;
  let seenAt = Number.NEGATIVE_INFINITY;
  let beating: Promise<void> | null = null;
  let swept = false;
  let shown = false;

  /** What lies further ahead than any lease was set before the host started anew. */
  const alive = (now: number) => sql<SqlBool>`(alive_until > ${now} and alive_until <= ${now + 4 * leaseMs})`;

  async function sweep(writer: Writer): Promise<void> {
    const now = await readNow(writer);
    await writer
      .deleteFrom("agent_process")
      .where(sql<SqlBool>`not ${alive(now)}`)
      .execute();
    const others = await writer.selectFrom("agent_process").where("id", "!=", id).select("id").execute();
    const dead = others.map((other) => other.id).filter((other) => isDeadWorker(other, place));
    if (dead.length > 0) await writer.deleteFrom("agent_process").where("id", "in", dead).execute();
  }

  async function show(writer: Writer): Promise<void> {
    shown = true;
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
        // Once is enough: whoever dies later is noticed by the others' tidying, or when its time is over.
        if (!swept) await sweep(writer);
        await show(writer);
      });
      swept = true;
      seenAt = startedAt;
    })().finally(() => (beating = null)));
  }

  return {
    id,
    hold(thing) {
      held.add(thing);
      timer ??= setInterval(() => void beat().catch(onError), leaseMs / 3).unref();
    },
    holds: (thing) => held.has(thing),
    letGo(thing) {
      held.delete(thing);
      if (held.size > 0 || !timer) return;
      clearInterval(timer);
      timer = null;
    },
    async ensure() {
      if (performance.now() - seenAt > leaseMs / 2) await beat();
    },
    show,
    async isAlive(reader, column) {
      const now = await readNow(reader);
      return sql<SqlBool>`exists (select 1 from agent_process where id = ${sql.ref(column)} and ${alive(now)})`;
    },
    sweep,
    async close() {
      if (timer) clearInterval(timer);
      timer = null;
      if (!shown) return;
      await database.write((writer) => writer.deleteFrom("agent_process").where("id", "=", id).execute());
    },
  };
}
