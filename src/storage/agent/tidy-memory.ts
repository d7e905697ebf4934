import { sql, type RawBuilder } from "kysely";
import type { AgentRetention } from "../../contract/ports/agent-memory.ts";
import type { AgentRunEnd, AgentRunSummary } from "../../contract/schemas/agent/agent-run.ts";
import type { Database, Writer } from "../tables/database.ts";
import { fromJsonText } from "../tables/text-columns.ts";
import type { Presence } from "../leases/presence.ts";
import { isUnused } from "./answers.ts";
import { tidyHandovers } from "./handovers.ts";
import { isAccepted } from "./open-runs.ts";
import { tidyResponses } from "./responses.ts";
import { addToRuns, toRunPart } from "./write-runs.ts";

/** Rows of each kind deleted per transaction, so that other writers do not wait long. */
const rowsAtOnce = 200;

/** One step of deleting expired rows. True when there is more to do. */
export async function tidyMemory({
  database,
  presence,
  now,
  retention: { runMs, threadMs },
}: {
  database: Database;
  presence: Presence;
  now: number;
  retention: AgentRetention;
}): Promise<boolean> {
  const stuck = await endInterrupted(database, { presence, now });
  const deleted = await database.write(async (writer) => [
    runMs === null
      ? 0
      : await deleteOldest(writer, { table: "agent_run", key: "id", age: "created_at", before: now - runMs }),
    threadMs === null
      ? 0
      : await deleteOldest(writer, {
          table: "agent_thread",
          key: "name",
          age: "updated_at",
          before: now - threadMs,
          and: isFree,
        }),
    threadMs === null ? 0 : await tidyResponses(writer, { before: now - threadMs, most: rowsAtOnce }),
    await deleteOldest(writer, { table: "agent_answer", key: "name", age: "expires_at", before: now, and: isUnused }),
    await tidyHandovers(writer, { now, most: rowsAtOnce }),
    await endUndecided(writer, { presence, now }),
  ]);
  return Math.max(stuck, ...deleted) >= rowsAtOnce;
}

/** A thread with a turn in progress is in use, whatever its age. */
const isFree = sql<boolean>`name not in (select name from agent_thread_hold)`;

interface Aged {
  readonly table: "agent_run" | "agent_thread" | "agent_answer";
  readonly key: string;
  readonly age: string;
  readonly before: number;
  readonly and?: RawBuilder<boolean>;
}

async function deleteOldest(writer: Writer, { table, key, age, before, and = sql`true` }: Aged): Promise<number> {
  const [name, id, time] = [sql.table(table), sql.ref(key), sql.ref(age)];
  const { numAffectedRows } = await sql`delete from ${name} where ${id} in
    (select ${id} from ${name} where ${time} < ${before} and ${and} order by ${time} limit ${sql.lit(rowsAtOnce)})`.execute(
    writer,
  );
  return Number(numAffectedRows ?? 0);
}

/** Ends runs whose process died before they ended, unless they are accepted turns. */
async function endInterrupted(
  database: Database,
  { presence, now }: { presence: Presence; now: number },
): Promise<number> {
  return database.write(async (writer) => {
    await presence.sweep(writer);
    await freeThreads(writer, presence);
    const lives = await presence.isAlive(writer, "agent_run.process");
    // When several processes tidy at once, only one gets a run.
    const stuck = await writer
      .updateTable("agent_run")
      .set({ process: presence.id })
      .where("id", "in", ({ selectFrom }) =>
        selectFrom("agent_run")
          .where("state", "=", sql.lit("running"))
          .where("process", "!=", presence.id)
          .where(sql<boolean>`not ${lives} and not ${isAccepted}`)
          .limit(rowsAtOnce)
          .select("id"),
      )
      .where("state", "=", sql.lit("running"))
      .where("process", "!=", presence.id)
      .returning(["id", "summary"])
      .execute();
    const again = await waitingAgain(writer, { ids: stuck.map(({ id }) => id), now });
    const parts = stuck.map(({ id, summary: text }) => {
      const summary = fromJsonText<AgentRunSummary>(text);
      return toRunPart(summary, toEnd(summary, { at: now, ...(again.has(id) ? undecidedAgain : interrupted) }));
    });
    await addToRuns(writer, parts, presence.id);
    return stuck.length;
  });
}

/** The runs that can be decided once more. */
async function waitingAgain(
  writer: Writer,
  { ids, now }: { ids: readonly string[]; now: number },
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await writer
    .selectFrom("agent_open_run")
    .where("run_id", "in", ids)
    .where("expires_at", ">", now)
    .select("run_id")
    .execute();
  return new Set(rows.map(({ run_id }) => run_id));
}

/** Ends runs that were not decided in time. A run that continues after a decision ends by itself. */
async function endUndecided(writer: Writer, { presence, now }: { presence: Presence; now: number }): Promise<number> {
  const lives = await presence.isAlive(writer, "agent_open_run.process");
  const expired = await writer
    .deleteFrom("agent_open_run")
    .where("run_id", "in", ({ selectFrom }) =>
      selectFrom("agent_open_run")
        .where("expires_at", "<=", now)
        .where(
          sql<boolean>`(process is null or not ${lives} or not exists
            (select 1 from agent_run where agent_run.id = agent_open_run.run_id and agent_run.state = 'running'))`,
        )
        .orderBy("expires_at")
        .limit(rowsAtOnce)
        .select("run_id"),
    )
    .returning(["run_id", "process"])
    .execute();
  if (expired.length === 0) return 0;
  const ids = expired.map(({ run_id }) => run_id);
  const decided = new Set(expired.filter(({ process }) => process !== null).map(({ run_id }) => run_id));
  const runs = await writer
    .selectFrom("agent_run")
    .where("id", "in", ids)
    .where("state", "=", "waiting")
    .select("summary")
    .execute();
  const parts = runs.map(({ summary: text }) => {
    const summary = fromJsonText<AgentRunSummary>(text);
    return toRunPart(summary, toEnd(summary, { at: now, ...(decided.has(summary.id) ? interrupted : undecided) }));
  });
  await addToRuns(writer, parts, presence.id);
  return expired.length;
}

/**
 * Deletes holds of dead processes. Such threads can be taken anyway; this removes rows that would otherwise stay
 * forever.
 */
async function freeThreads(writer: Writer, presence: Presence): Promise<void> {
  const lives = await presence.isAlive(writer, "agent_thread_hold.process");
  await writer
    .deleteFrom("agent_thread_hold")
    .where("process", "!=", presence.id)
    .where(sql<boolean>`not ${lives}`)
    .execute();
}

type Ending = Pick<AgentRunEnd, "state" | "finish_reason" | "error">;

const interrupted: Ending = {
  state: "failed",
  finish_reason: null,
  error: { code: "internal_error", detail: "The process that executed the run ended before the run finished." },
};

/** The process died after a decision: the decision can be sent again. */
const undecidedAgain: Ending = {
  state: "waiting",
  finish_reason: "tool_calls",
  error: {
    code: "internal_error",
    detail:
      "The process that continued the run after the decision ended before the run finished. Send the decisions again: completed steps are not repeated.",
  },
};

const undecided: Ending = { state: "cancelled", finish_reason: "approval_expired", error: null };

/** The end of a run that has none of its own: its usage is taken from the last summary. */
function toEnd(
  { model_resolved, usage, cost, model_calls, tool_calls, duration_ms }: AgentRunSummary,
  ending: Ending & Pick<AgentRunEnd, "at">,
): AgentRunEnd {
  const known = { model_resolved, usage, cost, model_calls, tool_calls, duration_ms: duration_ms ?? 0 };
  return { type: "run-end", ...known, ...ending, text: null };
}
