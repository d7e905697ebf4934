import { sql } from "kysely";
import type { Writer } from "../database.ts";
import type { Dispatch } from "../dispatch.ts";
import { cancelled, ready, running } from "./states.ts";

/** Closed with the run that ends. The rest, of a large run, follows in steps. */
const closedAtOnce = 100;

type Withdrawal = { readonly dispatch: Pick<Dispatch, "withdraw"> };

/** Closes what is left of a run that has ended: attempts that wait, and those under way. */
export async function closeAttempts(writer: Writer, runId: string, dispatch: Withdrawal["dispatch"]): Promise<void> {
  const rows = await writer
    .updateTable("attempt")
    .where("run_id", "=", runId)
    .where("state", "=", running)
    .set(closed)
    .returning("id")
    .execute();
  await dispatch.withdraw(
    writer,
    rows.map((row) => row.id),
  );
  const count = await closeReady(writer, runId, { dispatch, limit: closedAtOnce });
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
  if (!run || (await closeReady(writer, run.id, { dispatch, limit })) === limit) return;
  await writer.updateTable("run").where("id", "=", run.id).set({ unclosed: 0 }).execute();
}

const closed = { state: cancelled, lease_owner: null, lease_until: null } as const;

async function closeReady(
  writer: Writer,
  runId: string,
  { dispatch, limit }: Withdrawal & { readonly limit: number },
): Promise<number> {
  const rows = await writer
    .updateTable("attempt")
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("attempt").where("run_id", "=", runId).where("state", "=", ready).limit(limit).select("id"),
    )
    .where("state", "=", ready)
    .set(closed)
    .returning("id")
    .execute();
  await dispatch.withdraw(
    writer,
    rows.map((row) => row.id),
  );
  return rows.length;
}
