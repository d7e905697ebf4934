import { sql } from "kysely";
import type { Writer } from "../database.ts";
import type { Dispatch } from "../dispatch.ts";
import { cancelled, ready, running } from "./states.ts";

/** Closed with the run that ends. The rest, of a large run, follows in steps. */
const closedAtOnce = 100;

type Withdrawal = { readonly dispatch: Pick<Dispatch, "withdraw"> };

/** Closes what is left of a run that has ended: attempts that wait, and those under way. */
export async function closeAttempts(writer: Writer, runId: string, dispatch: Withdrawal["dispatch"]): Promise<void> {
  await close(writer, { runId, state: running, dispatch });
  const count = await close(writer, { runId, state: ready, dispatch, limit: closedAtOnce });
  if (count < closedAtOnce) return;
  await writer.updateTable("run").where("id", "=", runId).set({ unclosed: 1 }).execute();
}

/** One step of closing what large runs left open when they stopped. */
export async function closeStopped(
  writer: Writer,
  { dispatch, limit }: Withdrawal & { readonly limit: number },
): Promise<void> {
  const run = await writer
    .selectFrom("run")
    .where("unclosed", "=", sql.lit(1))
    .select("id")
    .limit(1)
    .executeTakeFirst();
  if (!run || (await close(writer, { runId: run.id, state: ready, dispatch, limit })) === limit) return;
  await writer.updateTable("run").where("id", "=", run.id).set({ unclosed: 0 }).execute();
}

interface Closing extends Withdrawal {
  readonly runId: string;
  readonly state: typeof ready | typeof running;
  readonly limit?: number;
}

/** Closes attempts of a run that are in this state, and says how many. */
async function close(writer: Writer, { runId, state, dispatch, limit }: Closing): Promise<number> {
  const chosen = writer.selectFrom("attempt").where("run_id", "=", runId).where("state", "=", state).select("id");
  const rows = await writer
    .updateTable("attempt")
    .where("id", "in", limit === undefined ? chosen : chosen.limit(limit))
    .where("state", "=", state)
    .set({ state: cancelled, lease_owner: null, lease_until: null })
    .returning("id")
    .execute();
  await dispatch.withdraw(
    writer,
    rows.map((row) => row.id),
  );
  return rows.length;
}
