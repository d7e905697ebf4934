import { sql, type Selectable, type SqlBool } from "kysely";
import { ServiceError } from "../../contract/errors/errors.ts";
import type {
  AcceptedRun,
  LostRun,
  OpenRun,
  OpenRuns,
  ThreadKey,
  WaitingRun,
} from "../../contract/ports/agent-memory.ts";
import type { Database, Reader, Writer } from "../tables/database.ts";
import type { Presence } from "../leases/presence.ts";
import type { AgentOpenRunTable } from "../tables/schema.ts";
import { fromJsonText, isPlainId, toJsonText } from "../tables/text-columns.ts";

/** Open runs, plus the steps that `acceptTurn` and `endTurn` compose into one transaction. */
export interface StoredOpenRuns extends OpenRuns {
  accept(writer: Writer, runId: string, run: AcceptedRun): Promise<void>;
  /** Ends a run taken by this process, and frees its key if that has no answer. False when another process has the run. */
  end(writer: Writer, runId: string): Promise<boolean>;
  putWaiting(writer: Writer, runId: string, run: WaitingRun): Promise<void>;
  /** Call it after the write that `accept` was part of has committed. */
  hold(runId: string): void;
  /** Call it after the write that `end` was part of has committed. */
  dropHold(runId: string): void;
}

/** Lost runs that are read at once. */
const mostLost = 100;

/**
 * Stores runs that have not ended. One of two concurrent takers gets a run, for as long as its process lives: if that
 * process is killed, the run can be taken again.
 */
export function createOpenRuns({
  database: { reader, write },
  presence,
  now,
}: {
  database: Database;
  presence: Presence;
  now: () => number;
}): StoredOpenRuns {
  const held = (runId: string): string => `open run ${runId}`;
  const mark = (writer: Writer, runId: string, state: "running" | "waiting") =>
    writer.updateTable("agent_run").where("id", "=", runId).set({ state, process: presence.id }).execute();

  /** Expired runs are left to tidying, which ends them. A run whose end could not be stored stays failed. */
  async function waits(at: Reader) {
    return sql<SqlBool>`(agent_open_run.phase = 'waiting' and agent_open_run.expires_at > ${now()}
      and ${await isUntaken(at, presence)}
      and not exists (select 1 from agent_run as ended where ended.id = agent_open_run.run_id
        and ended.state in ('completed', 'failed', 'cancelled')))`;
  }

  async function end(writer: Writer, runId: string): Promise<boolean> {
    const [ended] = await writer
      .deleteFrom("agent_open_run")
      .where("run_id", "=", runId)
      .where("process", "=", presence.id)
      .returning("answer")
      .execute();
    if (!ended) return false;
    if (ended.answer !== null) await freeKey(writer, ended.answer);
    return true;
  }

  /** This process may serve no client of the key, and then nothing else frees it. */
  async function freeKey(writer: Writer, name: string): Promise<void> {
    await writer
      .deleteFrom("agent_answer")
      .where("name", "=", name)
      .where("process", "=", presence.id)
      .where("answer", "is", null)
      .execute();
  }

  async function stepsOf(writer: Writer, runId: string): Promise<unknown[]> {
    const steps = await writer
      .selectFrom("agent_open_run_step")
      .where("run_id", "=", runId)
      .orderBy("number")
      .select("step")
      .execute();
    return steps.map(({ step }) => fromJsonText(step));
  }

  async function put(writer: Writer, run_id: string, row: Omit<AgentOpenRunTable, "run_id">): Promise<void> {
    await writer
      .insertInto("agent_open_run")
      .values({ run_id, ...row })
      .onConflict((conflict) => conflict.column("run_id").doUpdateSet(row))
      .execute();
  }

  return {
    accept: (writer, runId, run) =>
      put(writer, runId, {
        ...toColumns(run),
        phase: "accepted",
        answer: run.answer_key && toJsonText([run.answer_key.owner, run.answer_key.key]),
        expires_at: null,
        process: presence.id,
      }),
    putWaiting: (writer, runId, run) =>
      put(writer, runId, {
        ...toColumns(run),
        phase: "waiting",
        answer: null,
        expires_at: run.expires_at,
        process: null,
      }),
    hold: (runId) => presence.hold(held(runId)),
    dropHold: (runId) => presence.release(held(runId)),
    end,
    async get(run_id, owner) {
      if (!isPlainId(run_id)) return null;
      // Makes runs of a dead process of this host visible as free.
      await presence.ensureVisible();
      const row = await reader
        .selectFrom("agent_open_run")
        .where("run_id", "=", run_id)
        .where("owner", owner === null ? "is" : "=", owner)
        .where(await waits(reader))
        .selectAll()
        .executeTakeFirst();
      return row ? toWaitingRun(row) : null;
    },
    async ofThread(key) {
      const row = await reader
        .selectFrom("agent_open_run")
        .where("thread", "=", threadName(key))
        .where(sql<SqlBool>`(phase = 'accepted' or ${await waits(reader)})`)
        .orderBy("run_id")
        .select(["run_id", "phase"])
        .executeTakeFirst();
      return row ? { runId: row.run_id, waits: row.phase === "waiting" } : null;
    },
    async take(run_id, owner) {
      if (!isPlainId(run_id)) return null;
      await presence.ensureVisible();
      const taken = await write(async (writer) => {
        const [row] = await writer
          .updateTable("agent_open_run")
          .set({ process: presence.id })
          .where("run_id", "=", run_id)
          .where("owner", owner === null ? "is" : "=", owner)
          .where(await waits(writer))
          .returningAll()
          .execute();
        if (!row) return null;
        await mark(writer, run_id, "running");
        return { run: toWaitingRun(row), done: await stepsOf(writer, run_id) };
      });
      if (taken) presence.hold(held(run_id));
      return taken;
    },
    async lost() {
      const accepted = sql<SqlBool>`phase = 'accepted' and (process is null or process <> ${presence.id})`;
      // Almost always there is none, and nothing else is asked.
      const others = await reader.selectFrom("agent_open_run").where(accepted).limit(1).select("run_id").execute();
      if (others.length === 0) return [];
      await write((writer) => presence.sweep(writer));
      const rows = await reader
        .selectFrom("agent_open_run")
        .where(accepted)
        .where(await isUntaken(reader, presence))
        .orderBy("run_id")
        .limit(mostLost)
        .select(["run_id", "thread"])
        .execute();
      return rows.map(toLostRun);
    },
    async recover(run_id) {
      await presence.ensureVisible();
      const taken = await write(async (writer) => {
        const [row] = await writer
          .updateTable("agent_open_run")
          .set(({ eb }) => ({ process: presence.id, tries: eb("tries", "+", 1) }))
          .where("run_id", "=", run_id)
          .where("phase", "=", "accepted")
          .where(await isUntaken(writer, presence))
          .returningAll()
          .execute();
        if (!row) return null;
        if (row.answer !== null) {
          await writer
            .updateTable("agent_answer")
            .set({ process: presence.id })
            .where("name", "=", row.answer)
            .where("answer", "is", null)
            .execute();
        }
        await mark(writer, run_id, "running");
        return { run: toOpenRun(row), done: await stepsOf(writer, run_id), tries: row.tries };
      });
      if (taken) presence.hold(held(run_id));
      return taken;
    },
    async note(runId, step) {
      const row = { run_id: runId, process: presence.id };
      const noted = await write((writer) => addStep(writer, row, toJsonText(step)));
      if (noted === "cancelled") throw new ServiceError("run_cancelled", `The run ${runId} was cancelled.`);
      if (noted === "taken") {
        throw new ServiceError("run_not_finished", `Another process is continuing the run ${runId}.`, {
          retryAfterMs: 1000,
        });
      }
    },
    cancel: (runId, owner) =>
      write(async (writer) => {
        if (!isPlainId(runId)) return false;
        const found = await writer
          .updateTable("agent_open_run")
          .set({ cancelled: 1 })
          .where("run_id", "=", runId)
          .where("phase", "=", "accepted")
          .where("owner", owner === null ? "is" : "=", owner)
          .returning("run_id")
          .execute();
        return found.length > 0;
      }),
    async giveBack(runId) {
      await write(async (writer) => {
        const [back] = await writer
          .updateTable("agent_open_run")
          .set({ process: null })
          .where("run_id", "=", runId)
          .where("process", "=", presence.id)
          .returning("phase")
          .execute();
        if (back?.phase === "waiting") await mark(writer, runId, "waiting");
      });
      presence.release(held(runId));
    },
  };
}

/** True for a row of `agent_run` that some process finishes, whatever became of the present one. */
export const isAccepted = sql<boolean>`exists (select 1 from agent_open_run
  where agent_open_run.run_id = agent_run.id and agent_open_run.phase = 'accepted')`;

/** True for a run that no living process has. */
export async function isUntaken(at: Reader, presence: Presence) {
  const lives = await presence.isAlive(at, "agent_open_run.process");
  return sql<SqlBool>`(agent_open_run.process is null or not ${lives})`;
}

export function toLostRun({ run_id, thread }: Pick<AgentOpenRunTable, "run_id" | "thread">): LostRun {
  const [owner = null, id] = thread === null ? [] : fromJsonText<[string | null, string]>(thread);
  return { runId: run_id, thread: id === undefined ? null : { owner, id } };
}

/**
 * The run's row is written first: with concurrent writers, this keeps the steps in one order. A step shows that the run
 * gets on, so its tries start over.
 */
async function addStep(
  writer: Writer,
  { run_id, process }: { run_id: string; process: string },
  step: string,
): Promise<"added" | "cancelled" | "taken"> {
  const [ours] = await writer
    .updateTable("agent_open_run")
    .set({ tries: 0 })
    .where("run_id", "=", run_id)
    .where("process", "=", process)
    .returning("cancelled")
    .execute();
  if (!ours) return "taken";
  if (ours.cancelled !== 0) return "cancelled";
  await writer
    .insertInto("agent_open_run_step")
    .values(({ selectFrom }) => ({
      run_id,
      number: selectFrom("agent_open_run_step")
        .where("run_id", "=", run_id)
        .select(sql<number>`coalesce(max(number), 0) + 1`.as("next")),
      step,
    }))
    .execute();
  return "added";
}

const threadName = ({ owner, id }: ThreadKey): string => toJsonText([owner, id]);

function toColumns({ owner, thread_id, state }: OpenRun) {
  const thread = thread_id === null ? null : threadName({ owner, id: thread_id });
  return { owner, thread, state: toJsonText(state), tries: 0, cancelled: 0 };
}

function toOpenRun(row: Selectable<AgentOpenRunTable>): OpenRun {
  return { owner: row.owner, thread_id: toLostRun(row).thread?.id ?? null, state: fromJsonText(row.state) };
}

function toWaitingRun(row: Selectable<AgentOpenRunTable>): WaitingRun {
  return { ...toOpenRun(row), expires_at: row.expires_at ?? 0 };
}
