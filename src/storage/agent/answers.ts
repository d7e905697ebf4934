import { sql } from "kysely";
import type { AgentAnswers, AnswerClaim, AnswerKey, StoredAnswer } from "../../contract/ports/agent-memory.ts";
import type { Database, Writer } from "../tables/database.ts";
import { fromJsonText, toJsonText } from "../tables/text-columns.ts";
import type { Presence } from "../leases/presence.ts";
import { isUntaken, toLostRun } from "./open-runs.ts";

const day = 86_400_000;

/** Answers by Idempotency-Key, plus the steps that `endTurn` composes into one transaction. */
export interface StoredAnswers extends AgentAnswers {
  /** False when another process has taken the claim over. */
  isOurs(writer: Writer, key: AnswerKey): Promise<boolean>;
  /** False when another process has taken the claim over. */
  complete(writer: Writer, key: AnswerKey, answer: StoredAnswer): Promise<boolean>;
  /** Call it after the write that `complete` was part of has committed. */
  dropHold(key: AnswerKey): void;
}

/** Stores answers by Idempotency-Key. */
export function createAnswers({
  database,
  presence,
  now,
  ttlMs = day,
}: {
  database: Database;
  presence: Presence;
  now: () => number;
  ttlMs?: number | undefined;
}): StoredAnswers {
  const { write } = database;
  const held = (name: string): string => `answer ${name}`;

  /** The accepted turn of a key. */
  async function openRunOf(writer: Writer, name: string): Promise<AnswerClaim> {
    const untaken = await isUntaken(writer, presence);
    const open = await writer
      .selectFrom("agent_open_run")
      .where("answer", "=", name)
      .select(["run_id", "thread", sql<number>`case when ${untaken} then 1 else 0 end`.as("untaken")])
      .executeTakeFirst();
    if (!open) return { outcome: "running" };
    return open.untaken ? { outcome: "lost", run: toLostRun(open) } : { outcome: "running", runId: open.run_id };
  }

  async function claim(writer: Writer, name: string, hash: string): Promise<AnswerClaim> {
    const at = now();
    const holderLives = await presence.isAlive(writer, "agent_answer.process");
    const row = { hash, process: presence.id, answer: null, expires_at: at + ttlMs };
    const taken = await writer
      .insertInto("agent_answer")
      .values({ name, ...row })
      .onConflict((conflict) =>
        conflict
          .column("name")
          .doUpdateSet(row)
          // A claim of this process was not released after a failure; within one process a key is never claimed twice
          // at once.
          .where(
            sql<boolean>`((agent_answer.expires_at <= ${at} or (agent_answer.answer is null
              and (agent_answer.process = ${presence.id} or not ${holderLives}))) and ${isUnused})`,
          ),
      )
      .returning("name")
      .execute();
    if (taken.length > 0) return { outcome: "claimed" };
    const known = await writer.selectFrom("agent_answer").where("name", "=", name).selectAll().executeTakeFirst();
    if (known && known.hash !== hash) return { outcome: "mismatch" };
    if (!known || known.answer === null) return openRunOf(writer, name);
    return { outcome: "answered", answer: fromJsonText<StoredAnswer>(known.answer) };
  }

  return {
    async claim(key) {
      const name = answerNameOf(key);
      await presence.ensureVisible();
      const claimed = await write((writer) => claim(writer, name, key.hash));
      if (claimed.outcome === "claimed") presence.hold(held(name));
      return claimed;
    },
    async isOurs(writer, key) {
      const ours = await writer
        .updateTable("agent_answer")
        .set({ process: presence.id })
        .where("name", "=", answerNameOf(key))
        .where("process", "=", presence.id)
        .where("answer", "is", null)
        .returning("name")
        .execute();
      return ours.length > 0;
    },
    async complete(writer, key, answer) {
      const completed = await writer
        .updateTable("agent_answer")
        .where("name", "=", answerNameOf(key))
        .where("process", "=", presence.id)
        .where("answer", "is", null)
        .set({ answer: toJsonText(answer), expires_at: now() + ttlMs })
        .returning("name")
        .execute();
      return completed.length > 0;
    },
    dropHold: (key) => presence.release(held(answerNameOf(key))),
    async release(key) {
      const name = answerNameOf(key);
      presence.release(held(name));
      await write((writer) =>
        writer
          .deleteFrom("agent_answer")
          .where("name", "=", name)
          .where("process", "=", presence.id)
          .where("answer", "is", null)
          .where(isUnused)
          .execute(),
      );
    },
  };
}

/** True for a key without an accepted turn that has not ended. */
export const isUnused = sql<boolean>`not exists
  (select 1 from agent_open_run where agent_open_run.answer = agent_answer.name)`;

function answerNameOf({ owner, key }: AnswerKey): string {
  return toJsonText([owner, key]);
}
