import type { WaitingRuns } from "../../contract/agent-approval.ts";
import type { Database } from "../database.ts";
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
    async put(run_id, { owner, state, expires_at }) {
      const row = { owner, state: toJsonText(state), expires_at };
      await write((writer) =>
        writer
          .insertInto("agent_waiting_run")
          .values({ run_id, ...row })
          .onConflict((conflict) => conflict.column("run_id").doUpdateSet(row))
          .execute(),
      );
    },
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
