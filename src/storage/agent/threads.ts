import { sql } from "kysely";
import type { AgentThreads, StoredMessage, ThreadKey } from "../../contract/ports/agent-memory.ts";
import type { Database, Reader, Writer } from "../tables/database.ts";
import type { Presence } from "../leases/presence.ts";
import { parseIdCursor, toIdCursor } from "../queries/paging.ts";
import { fromJsonText, toJsonText } from "../tables/text-columns.ts";
import { isAccepted, isUntaken } from "./open-runs.ts";

/** Threads, plus the steps that `endTurn` composes into one transaction. */
export interface StoredThreads extends AgentThreads {
  /**
   * False when another process took over a thread held here, because it considered this process dead. Its turn wins.
   */
  isOurs(writer: Writer, key: ThreadKey): Promise<boolean>;
  /** True when the thread was deleted during the turn that holds it. */
  isDeleted(writer: Writer, key: ThreadKey): Promise<boolean>;
  /** Appends the messages of a turn, unless the thread was deleted meanwhile, and releases the hold. */
  append(writer: Writer, key: ThreadKey, messages: readonly StoredMessage[]): Promise<void>;
  /** Call it after the write that `append` was part of has committed. */
  dropHold(key: ThreadKey): void;
}

/** Stores threads. */
export function createThreads({
  database,
  presence,
  now,
}: {
  database: Database;
  presence: Presence;
  now: () => number;
}): StoredThreads {
  const { reader, write } = database;
  const held = (name: string): string => `thread ${name}`;
  /** The number of each held thread's last part at the time of the hold. */
  const lastParts = new Map<string, number>();

  async function lastPart(at: Reader, name: string): Promise<number> {
    const { last } = await at
      .selectFrom("agent_thread_part")
      .where("thread", "=", name)
      .select(sql<number>`coalesce(max(number), 0)`.as("last"))
      .executeTakeFirstOrThrow();
    return Number(last);
  }

  /** The number of the thread's last part, or null while another process holds the thread. */
  async function takeThread(writer: Writer, name: string): Promise<number | null> {
    return (await take(writer, name)) ? lastPart(writer, name) : null;
  }

  async function take(writer: Writer, name: string): Promise<boolean> {
    const holderLives = await presence.isAlive(writer, "agent_thread_hold.process");
    const taken = await writer
      .insertInto("agent_thread_hold")
      .values({ name, process: presence.id })
      .onConflict((conflict) =>
        conflict
          .column("name")
          .doUpdateSet({ process: presence.id })
          .where(sql<boolean>`(agent_thread_hold.process = ${presence.id} or not ${holderLives})`),
      )
      .returning("name")
      .execute();
    return taken.length > 0;
  }

  /**
   * True when the thread was deleted since it was taken. Otherwise its row is locked here, and a concurrent deletion
   * comes later.
   */
  async function touchOrRemove(writer: Writer, name: string): Promise<boolean> {
    await touch(writer, name, now());
    const isDeleted = (await lastPart(writer, name)) < (lastParts.get(name) ?? 0);
    if (isDeleted) await removeThread(writer, name);
    return isDeleted;
  }

  function dropHold(name: string): void {
    lastParts.delete(name);
    presence.release(held(name));
  }

  const giveBack = (writer: Writer, name: string) =>
    writer.deleteFrom("agent_thread_hold").where("name", "=", name).where("process", "=", presence.id).execute();

  return {
    async get(key) {
      const name = nameOf(key);
      const thread = await reader.selectFrom("agent_thread").where("name", "=", name).selectAll().executeTakeFirst();
      if (!thread) return null;
      const parts = await reader
        .selectFrom("agent_thread_part")
        .where("thread", "=", name)
        .orderBy("number")
        .select("messages")
        .execute();
      const messages = parts.flatMap((part) => fromJsonText<StoredMessage[]>(part.messages));
      return { id: key.id, messages, created_at: thread.created_at, updated_at: thread.updated_at };
    },
    async list({ owner, limit, cursor }) {
      const prefix = toJsonText([owner]).slice(0, -1) + ",";
      let query = reader
        .selectFrom("agent_thread")
        .where(sql<boolean>`substr(name, 1, ${sql.lit(prefix.length)}) = ${prefix}`)
        .where(({ exists, selectFrom }) =>
          // A thread without parts is invisible until its first turn ends.
          exists(selectFrom("agent_thread_part").whereRef("thread", "=", "agent_thread.name").select("number")),
        )
        .orderBy("updated_at", "desc")
        .orderBy("name", "desc")
        .limit(limit + 1)
        .selectAll();
      if (cursor !== undefined) {
        const [at, name] = parsePosition(cursor, owner);
        query = query.where(({ eb, or, and }) =>
          or([eb("updated_at", "<", at), and([eb("updated_at", "=", at), eb("name", "<", name)])]),
        );
      }
      const rows = await query.execute();
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      return {
        threads: page.map(({ name, created_at, updated_at }) => ({ id: idOf(name), created_at, updated_at })),
        next_cursor: rows.length > limit && last ? toIdCursor(`${last.updated_at} ${idOf(last.name)}`) : null,
      };
    },
    async hold(key) {
      const name = nameOf(key);
      await presence.ensureVisible();
      const last = await write((writer) => takeThread(writer, name));
      if (last === null) return false;
      presence.hold(held(name));
      lastParts.set(name, last);
      return true;
    },
    async isOurs(writer, key) {
      const name = nameOf(key);
      const last = lastParts.get(name);
      if (last === undefined) return true;
      const holder = await writer
        .selectFrom("agent_thread_hold")
        .where("name", "=", name)
        .select("process")
        .executeTakeFirst();
      if (holder && holder.process !== presence.id) return false;
      return (await lastPart(writer, name)) <= last;
    },
    async release(key) {
      const name = nameOf(key);
      if (!presence.holds(held(name))) return;
      dropHold(name);
      await write((writer) => giveBack(writer, name));
    },
    async isDeleted(writer, key) {
      const name = nameOf(key);
      // A thread without parts is invisible until its first turn ends.
      return (lastParts.get(name) ?? 0) > 0 && touchOrRemove(writer, name);
    },
    async append(writer, key, messages) {
      const name = nameOf(key);
      if (!(await touchOrRemove(writer, name))) await addThreadPart(writer, name, messages);
      await giveBack(writer, name);
    },
    dropHold: (key) => dropHold(nameOf(key)),
    async remove(key) {
      return write(async (writer) => {
        // First, so that a turn about to wait for approval has either stored its run or finds the thread deleted.
        const removed = await removeThread(writer, nameOf(key));
        const forgotten = await deleteRunsOfThread(writer, key, presence);
        return forgotten || removed.length > 0;
      });
    },
  };
}

const removeThread = (writer: Writer, name: string) =>
  writer.deleteFrom("agent_thread").where("name", "=", name).returning("name").execute();

/** The thread's row is written first: with concurrent writers, this keeps the parts in one order. */
async function touch(writer: Writer, name: string, at: number): Promise<void> {
  await writer
    .insertInto("agent_thread")
    .values({ name, created_at: at, updated_at: at })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ updated_at: at }))
    .execute();
}

async function addThreadPart(writer: Writer, name: string, messages: readonly StoredMessage[]): Promise<void> {
  await writer
    .insertInto("agent_thread_part")
    .values(({ selectFrom }) => ({
      thread: name,
      number: selectFrom("agent_thread_part")
        .where("thread", "=", name)
        .select(sql<number>`coalesce(max(number), 0) + 1`.as("next")),
      messages: toJsonText(messages),
    }))
    .execute();
}

function nameOf({ owner, id }: ThreadKey): string {
  return toJsonText([owner, id]);
}

/** The time and the name of the last thread of a page. */
function parsePosition(cursor: string, owner: string | null): readonly [at: number, name: string] {
  const [at = "", id = ""] = parseIdCursor(cursor, (text) => /^\d{1,15} ./.test(text)).split(" ");
  return [Number(at), nameOf({ owner, id })];
}

function idOf(name: string): string {
  return fromJsonText<[owner: string | null, id: string]>(name)[1];
}

/**
 * Deletes what a thread leaves in other tables: its responses, the log of its runs, their hand-overs to client tools, and its waiting
 * runs, which would recreate it. Runs in progress continue. False when there was nothing to delete.
 */
async function deleteRunsOfThread(writer: Writer, { owner, id }: ThreadKey, presence: Presence): Promise<boolean> {
  const untaken = await isUntaken(writer, presence);
  const isUnderWay = await presence.isAlive(writer, "agent_run.process");
  const name = nameOf({ owner, id });
  const waiting = await writer
    .deleteFrom("agent_open_run")
    .where("thread", "=", name)
    .where("phase", "=", "waiting")
    .where(untaken)
    .returning("run_id")
    .execute();
  // An accepted turn is finished, by whatever process, and adds nothing.
  await writer.updateTable("agent_open_run").set({ thread: null }).where("thread", "=", name).execute();
  await writer
    .deleteFrom("agent_handover")
    .where("run_id", "in", ({ selectFrom }) =>
      selectFrom("agent_run")
        .where("thread_id", "=", toJsonText(id))
        .where("owner", owner === null ? "is" : "=", owner)
        .select("id"),
    )
    .execute();
  await writer.deleteFrom("agent_response").where("chain", "=", name).execute();
  const runs = await writer
    .deleteFrom("agent_run")
    .where("thread_id", "=", toJsonText(id))
    .where("owner", owner === null ? "is" : "=", owner)
    .where(sql<boolean>`(state <> 'running' or not ${isUnderWay}) and not ${isAccepted}`)
    .returning("id")
    .execute();
  return waiting.length + runs.length > 0;
}
