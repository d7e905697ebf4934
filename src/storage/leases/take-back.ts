import { sql, type Expression, type SqlBool } from "kysely";
import type { Writer } from "../database.ts";
import type { AttemptState } from "../../contract/ports/store.ts";
import { running } from "../queries/states.ts";
import { runIsActive } from "../queries/conditions.ts";
import { afterMemoryRanOut } from "./lease-time.ts";
import { isDeadWorker, type Place, type RanOutOfMemory } from "./worker-processes.ts";

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
  { availableAt = 0, broke = false }: { availableAt?: number | Expression<number>; broke?: boolean } = {},
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

export interface TakeBackOptions extends Place {
  /** Default: no worker has. */
  readonly ranOutOfMemory?: RanOutOfMemory | undefined;
}

/** Takes back what workers of this host hold whose process has died, and what those of any host held that ran out of memory. */
export async function takeBackFromTheDead(
  writer: Writer,
  { ranOutOfMemory = () => false, ...here }: TakeBackOptions,
): Promise<TakenBack[]> {
  const owners = await writer
    .selectFrom("attempt")
    .where("state", "=", running)
    .where("lease_owner", "is not", null)
    .select("lease_owner")
    .distinct()
    .execute();
  const taken: TakenBack[] = [];
  for (const { lease_owner } of owners) {
    if (lease_owner === null) continue;
    if (ranOutOfMemory(lease_owner)) taken.push(...(await takeBackSuspects(writer, lease_owner)));
    else if (isDeadWorker(lease_owner, here)) taken.push(...(await takeBack(writer, isHeldByWorker(lease_owner))));
  }
  return taken;
}

const isHeldByWorker = (worker: string): Expression<SqlBool> =>
  sql<SqlBool>`(state = ${running} and lease_owner = ${worker})`;

/**
 * Of several that were under way when memory ran out, none is known to be the reason, and all of them may not be it: they are tried
 * again as others are, and each by itself when they were under way the next time too. One that was alone then has broken.
 */
async function takeBackSuspects(writer: Writer, worker: string): Promise<TakenBack[]> {
  const isHeld = isHeldByWorker(worker);
  const held = await writer.selectFrom("attempt").where(isHeld).select("id").limit(2).execute();
  return takeBack(writer, isHeld, { availableAt: afterMemoryRanOut, broke: held.length === 1 });
}
