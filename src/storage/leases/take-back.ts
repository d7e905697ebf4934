import { sql, type Expression, type SqlBool } from "kysely";
import type { Writer } from "../database.ts";
import type { AttemptState } from "../../contract/store.ts";
import { running } from "../queries/states.ts";
import { runIsActive } from "../queries/conditions.ts";
import { isDeadWorker, type Place } from "./worker-processes.ts";

export interface TakenBack {
  readonly id: string;
  readonly run_id: string;
  readonly state: AttemptState;
}

/**
 * Makes attempts that are under way ready again, or cancelled if their run is no longer to be worked on. The fence stays
 * and is raised by the next claim, so whoever held the attempt can finish nothing from then on.
 */
export async function takeBack(
  writer: Writer,
  which: Expression<SqlBool>,
  { availableAt = 0, broke = false }: { availableAt?: number; broke?: boolean } = {},
): Promise<TakenBack[]> {
  return writer
    .updateTable("attempt")
    .where(which)
    .set({
      state: sql<"ready" | "cancelled">`case when ${runIsActive} then 'ready' else 'cancelled' end`,
      lease_owner: null,
      lease_until: null,
      available_at: availableAt,
      ...(broke && { breaks: sql<number>`breaks + 1` }),
    })
    .returning(["id", "run_id", "state"])
    .execute();
}

/** Takes back what workers of this host hold whose process has died. */
export async function takeBackFromTheDead(writer: Writer, here: Place): Promise<TakenBack[]> {
  const owners = await writer
    .selectFrom("attempt")
    .where("state", "=", running)
    .where("lease_owner", "is not", null)
    .select("lease_owner")
    .distinct()
    .execute();
  const taken: TakenBack[] = [];
  for (const { lease_owner } of owners) {
    if (lease_owner === null || !isDeadWorker(lease_owner, here)) continue;
    taken.push(...(await takeBack(writer, sql<SqlBool>`(state = ${running} and lease_owner = ${lease_owner})`)));
  }
  return taken;
}
