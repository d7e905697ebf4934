import type { Selectable } from "kysely";
import type { WaitingRun, WaitingRuns } from "../../contract/agent-approval.ts";
import type { Database, Writer } from "../database.ts";
import type { AgentWaitingRunTable } from "../schema.ts";
import { fromJsonText, toJsonText } from "../json-text.ts";
import { isPlainId } from "../plain-id.ts";
import type { Presence } from "./presence.ts";

/**
 * Runs that wait for approval on any database that has our schema. Deleting is taking: of two, one gets the run, which from then
 * on is one that this process carries out. Were it killed before the log says so, it would seem to wait for good.
 */
export function createWaitingRuns({
  database: { reader, write },
  presence,
  now,
}: {
  database: Database;
  presence: Presence;
  now: () => number;
}): WaitingRuns {
  const mark = (writer: Writer, runId: string, state: "running" | "waiting") =>
    writer.updateTable("agent_run").where("id", "=", runId).set({ state, process: presence.id }).execute();

  return {
    put: (runId, run) =>
      write(async (writer) => {
        await putWaitingRun(writer, runId, run);
        await mark(writer, runId, "waiting");
      }),
    async get(run_id, owner) {
      if (!isPlainId(run_id)) return null;
      const row = await reader
        .selectFrom("agent_waiting_run")
        .where("run_id", "=", run_id)
        .where("owner", owner === null ? "is" : "=", owner)
        .selectAll()
        .executeTakeFirst();
      return row && row.expires_at > now() ? toWaitingRun(row) : null;
    },
    async ofThread({ owner, id }) {
      const row = await reader
        .selectFrom("agent_waiting_run")
        .innerJoin("agent_run", "agent_run.id", "agent_waiting_run.run_id")
        .where("agent_run.thread_id", "=", toJsonText(id))
        .where("agent_waiting_run.owner", owner === null ? "is" : "=", owner)
        .where("agent_waiting_run.expires_at", ">", now())
        .orderBy("agent_waiting_run.run_id")
        .select("agent_waiting_run.run_id")
        .executeTakeFirst();
      return row?.run_id ?? null;
    },
    async take(run_id, owner) {
      if (!isPlainId(run_id)) return null;
      await presence.ensure();
      const row = await write(async (writer) => {
        const [taken] = await writer
          .deleteFrom("agent_waiting_run")
          .where("run_id", "=", run_id)
          .where("owner", owner === null ? "is" : "=", owner)
          // What has expired is left to tidying, which ends the run.
          .where("expires_at", ">", now())
          .returningAll()
          .execute();
        if (taken) await mark(writer, run_id, "running");
        return taken;
      });
      return row ? toWaitingRun(row) : null;
    },
  };
}

function toWaitingRun({ owner, state, expires_at }: Selectable<AgentWaitingRunTable>): WaitingRun {
  return { owner, state: fromJsonText(state), expires_at };
}

export async function putWaitingRun(
  writer: Writer,
  run_id: string,
  { owner, state, expires_at }: WaitingRun,
): Promise<void> {
  const row = { owner, state: toJsonText(state), expires_at };
  await writer
    .insertInto("agent_waiting_run")
    .values({ run_id, ...row })
    .onConflict((conflict) => conflict.column("run_id").doUpdateSet(row))
    .execute();
}
