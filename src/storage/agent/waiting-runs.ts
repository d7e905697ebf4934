import { sql, type Selectable, type SqlBool } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { WaitingRun, WaitingRuns } from "../../contract/ports/agent-memory.ts";
import type { Database, Reader, Writer } from "../database.ts";
import type { Presence } from "../presence.ts";
import type { AgentWaitingRunTable } from "../schema.ts";
import { fromJsonText, isPlainId, toJsonText } from "../text-columns.ts";

/** Waiting runs, plus the step that `endTurn` composes into one transaction. */
export interface StoredWaitingRuns extends WaitingRuns {
  /** Ends a run taken by this process. False when another process has it. */
  end(writer: Writer, runId: string): Promise<boolean>;
}

/**
 * Stores runs that wait for approval. One of two concurrent takers gets a run, for as long as its process lives: if
 * that process is killed, the run can be decided again.
 */
export function createWaitingRuns({
  database: { reader, write },
  presence,
  now,
}: {
  database: Database;
  presence: Presence;
  now: () => number;
}): StoredWaitingRuns {
  const mark = (writer: Writer, runId: string, state: "running" | "waiting") =>
    writer.updateTable("agent_run").where("id", "=", runId).set({ state, process: presence.id }).execute();

  /** Expired runs are left to tidying, which ends them. A run whose end could not be stored stays failed. */
  async function waits(at: Reader) {
    const lives = await presence.isAlive(at, "agent_waiting_run.process");
    return sql<SqlBool>`(agent_waiting_run.expires_at > ${now()}
      and (agent_waiting_run.process is null or not ${lives})
      and not exists (select 1 from agent_run as ended where ended.id = agent_waiting_run.run_id
        and ended.state in ('completed', 'failed', 'cancelled')))`;
  }

  const held = (runId: string) => ({ run_id: runId, process: presence.id });

  async function end(writer: Writer, runId: string): Promise<boolean> {
    const ended = await writer
      .deleteFrom("agent_waiting_run")
      .where("run_id", "=", runId)
      .where("process", "=", presence.id)
      .returning("run_id")
      .execute();
    return ended.length > 0;
  }

  return {
    put: (runId, run) =>
      write(async (writer) => {
        await putWaitingRun(writer, runId, run);
        await mark(writer, runId, "waiting");
      }),
    async get(run_id, owner) {
      if (!isPlainId(run_id)) return null;
      // Makes runs of a dead process of this host visible as free.
      await presence.ensureVisible();
      const row = await reader
        .selectFrom("agent_waiting_run")
        .where("run_id", "=", run_id)
        .where("owner", owner === null ? "is" : "=", owner)
        .where(await waits(reader))
        .selectAll()
        .executeTakeFirst();
      return row ? toWaitingRun(row) : null;
    },
    async ofThread({ owner, id }) {
      const row = await reader
        .selectFrom("agent_waiting_run")
        .innerJoin("agent_run", "agent_run.id", "agent_waiting_run.run_id")
        .where("agent_run.thread_id", "=", toJsonText(id))
        .where("agent_waiting_run.owner", owner === null ? "is" : "=", owner)
        .where(await waits(reader))
        .orderBy("agent_waiting_run.run_id")
        .select("agent_waiting_run.run_id")
        .executeTakeFirst();
      return row?.run_id ?? null;
    },
    async take(run_id, owner) {
      if (!isPlainId(run_id)) return null;
      await presence.ensureVisible();
      return write(async (writer) => {
        const [row] = await writer
          .updateTable("agent_waiting_run")
          .set({ process: presence.id })
          .where("run_id", "=", run_id)
          .where("owner", owner === null ? "is" : "=", owner)
          .where(await waits(writer))
          .returningAll()
          .execute();
        if (!row) return null;
        await mark(writer, run_id, "running");
        const parts = await writer
          .selectFrom("agent_resumed_part")
          .where("run_id", "=", run_id)
          .orderBy("number")
          .select("entry")
          .execute();
        return { run: toWaitingRun(row), done: parts.map(({ entry }) => fromJsonText(entry)) };
      });
    },
    async note(runId, entry) {
      const noted = await write((writer) => addPart(writer, held(runId), toJsonText(entry)));
      if (!noted) {
        throw new ServiceError("run_not_finished", `Another process is continuing the run ${runId}.`, {
          retryAfterMs: 1000,
        });
      }
    },
    giveBack: (runId) =>
      write(async (writer) => {
        const back = await writer
          .updateTable("agent_waiting_run")
          .set({ process: null })
          .where("run_id", "=", runId)
          .where("process", "=", presence.id)
          .returning("run_id")
          .execute();
        if (back.length > 0) await mark(writer, runId, "waiting");
      }),
    drop: (runId) => write(async (writer) => void (await end(writer, runId))),
    end,
  };
}

/**
 * False when another process has the run. Its row is written first: with concurrent writers, this keeps the parts in
 * one order.
 */
async function addPart(
  writer: Writer,
  { run_id, process }: { run_id: string; process: string },
  entry: string,
): Promise<boolean> {
  const ours = await writer
    .updateTable("agent_waiting_run")
    .set({ process })
    .where("run_id", "=", run_id)
    .where("process", "=", process)
    .returning("run_id")
    .execute();
  if (ours.length === 0) return false;
  await writer
    .insertInto("agent_resumed_part")
    .values(({ selectFrom }) => ({
      run_id,
      number: selectFrom("agent_resumed_part")
        .where("run_id", "=", run_id)
        .select(sql<number>`coalesce(max(number), 0) + 1`.as("next")),
      entry,
    }))
    .execute();
  return true;
}

function toWaitingRun({ owner, state, expires_at }: Selectable<AgentWaitingRunTable>): WaitingRun {
  return { owner, state: fromJsonText(state), expires_at };
}

export async function putWaitingRun(
  writer: Writer,
  run_id: string,
  { owner, state, expires_at }: WaitingRun,
): Promise<void> {
  const row = { owner, state: toJsonText(state), expires_at, process: null };
  await writer
    .insertInto("agent_waiting_run")
    .values({ run_id, ...row })
    .onConflict((conflict) => conflict.column("run_id").doUpdateSet(row))
    .execute();
}
