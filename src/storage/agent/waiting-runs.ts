import type { Selectable } from "kysely";
import type { WaitingRun, WaitingRuns } from "../../contract/agent-approval.ts";
import type { Database, Writer } from "../database.ts";
import type { AgentWaitingRunTable } from "../schema.ts";
import { fromJsonText, toJsonText } from "../json-text.ts";
import { isPlainId } from "../plain-id.ts";

/** Runs that wait for approval on any database that has our schema. Deleting is taking: of two, one gets the run. */
export function createWaitingRuns({
  database: { reader, write },
  now,
}: {
  database: Database;
  now: () => number;
}): WaitingRuns {
  return {
    put: (runId, run) => write((writer) => putWaitingRun(writer, runId, run)),
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
      const [row] = await write((writer) =>
        writer
          .deleteFrom("agent_waiting_run")
          .where("run_id", "=", run_id)
          .where("owner", owner === null ? "is" : "=", owner)
          // One that waited too long stays for those who tidy, who end its run.
          .where("expires_at", ">", now())
          .returningAll()
          .execute(),
      );
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
