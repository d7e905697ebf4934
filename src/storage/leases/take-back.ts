import { sql, type Expression, type SqlBool } from "kysely";
import type { Writer } from "../database.ts";
import { runIsActive } from "../queries/conditions.ts";

/**
 * Makes attempts that are under way ready again, or cancelled if their run is no longer to be worked on. The fence stays
 * and is raised by the next claim, so whoever held the attempt can finish nothing from then on.
 */
export async function takeBack(
  writer: Writer,
  which: Expression<SqlBool>,
  { availableAt = 0 }: { availableAt?: number } = {},
): Promise<number> {
  const rows = await writer
    .updateTable("attempt")
    .where(which)
    .set({
      state: sql<"ready" | "cancelled">`case when ${runIsActive} then 'ready' else 'cancelled' end`,
      lease_owner: null,
      lease_until: null,
      available_at: availableAt,
    })
    .returning("id")
    .execute();
  return rows.length;
}
