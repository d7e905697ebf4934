import { sql } from "kysely";
import type { AgentMessage } from "../../contract/schemas/agent-message.ts";
import type { AgentThreads, ThreadKey } from "../../contract/ports/agent-memory.ts";
import type { Database, Reader, Writer } from "../database.ts";
import { fromJsonText, toJsonText } from "../json-text.ts";
import type { Presence } from "../presence.ts";
import { forgetRunsOfThread } from "./forget-runs-of-thread.ts";

/** Threads, with the steps that the end of a turn is made of. */
export interface StoredThreads extends AgentThreads {
  /** False when another process took a thread over that was held here: it took us for dead, and its turn comes first. */
  isOurs(writer: Writer, key: ThreadKey): Promise<boolean>;
  /** Whether the thread was deleted during the turn it is held for. */
  isDeleted(writer: Writer, key: ThreadKey): Promise<boolean>;
  /** Adds what a turn said, unless the thread was deleted during that turn, and gives it back. */
  append(writer: Writer, key: ThreadKey, messages: readonly AgentMessage[]): Promise<void>;
  /** Comes after the write that `append` was part of. */
  letGo(key: ThreadKey): void;
}

/** Threads on any database that has our schema. */
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
  /** The number of the last part that each thread held here had when it was taken. */
  const lastParts = new Map<string, number>();

  async function lastPart(at: Reader, name: string): Promise<number> {
    const { last } = await at
      .selectFrom("agent_thread_part")
      .where("thread", "=", name)
      .select(sql<number>`coalesce(max(number), 0)`.as("last"))
      .executeTakeFirstOrThrow();
    return Number(last);
  }

  /** The number of its last part, or null while another process has it. */
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

  /** True when it was deleted since it was taken. Otherwise its row is ours: whoever deletes it at this moment comes after us. */
  async function touchOrRemove(writer: Writer, name: string): Promise<boolean> {
    await touch(writer, name, now());
    const isDeleted = (await lastPart(writer, name)) < (lastParts.get(name) ?? 0);
    if (isDeleted) await removeThread(writer, name);
    return isDeleted;
  }

  function letGo(name: string): void {
    lastParts.delete(name);
    presence.letGo(held(name));
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
      const messages = parts.flatMap((part) => fromJsonText<AgentMessage[]>(part.messages));
      return { id: key.id, messages, created_at: thread.created_at, updated_at: thread.updated_at };
    },
    async hold(key) {
      const name = nameOf(key);
      await presence.ensure();
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
      letGo(name);
      await write((writer) => giveBack(writer, name));
    },
    async isDeleted(writer, key) {
      const name = nameOf(key);
      // One that has no part yet is not to be seen before its first turn has ended.
      return (lastParts.get(name) ?? 0) > 0 && touchOrRemove(writer, name);
    },
    async append(writer, key, messages) {
      const name = nameOf(key);
      if (!(await touchOrRemove(writer, name))) await addPart(writer, name, messages);
      await giveBack(writer, name);
    },
    letGo: (key) => letGo(nameOf(key)),
    async remove(key) {
      return write(async (writer) => {
        // First, so that a turn which comes to wait at this moment has either waited by then or finds the thread deleted.
        const removed = await removeThread(writer, nameOf(key));
        const forgotten = await forgetRunsOfThread(writer, key, presence);
        return forgotten || removed.length > 0;
      });
    },
  };
}

const removeThread = (writer: Writer, name: string) =>
  writer.deleteFrom("agent_thread").where("name", "=", name).returning("name").execute();

/** The thread's own row is written first: on a database with many writers, it keeps the parts in one order. */
async function touch(writer: Writer, name: string, at: number): Promise<void> {
  await writer
    .insertInto("agent_thread")
    .values({ name, created_at: at, updated_at: at })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ updated_at: at }))
    .execute();
}

async function addPart(writer: Writer, name: string, messages: readonly AgentMessage[]): Promise<void> {
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
