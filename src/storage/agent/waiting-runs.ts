import type { WaitingRun, WaitingRuns } from "../../contract/agent-approval.ts";
import type { Database, Writer } from "../database.ts";
import { fromJsonText, toJsonText } from "../json-text.ts";

/** Runs that wait for approval on any database that has our schema. Deleting is taking: of two, one gets the run. */
export function createWaitingRuns({
  database: { write },
  now,
}: {
  database: Database;
  now: () => number;
}): WaitingRuns {
  return {
    put: (runId, run) => write((writer) => putWaitingRun(writer, runId, run)),
    async take(run_id, owner) {
      const [row] = await write((writer) =>
        writer
          .deleteFrom("agent_waiting_run")
          .where("run_id", "=", run_id)
          .where("owner", owner === null ? "is" : "=", owner)
          .returningAll()
          .execute(),
      );
      if (!row || row.expires_at <= now()) return null;
      return { owner: row.owner, state: fromJsonText(row.state), expires_at: row.expires_at };
    },
  };
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
