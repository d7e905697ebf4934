import type { Lease } from "../../contract/ports/store.ts";
import type { Writer } from "../database.ts";
import { runIsActive } from "../queries/conditions.ts";
import { cancelled, running } from "../queries/states.ts";

interface Renewal {
  readonly worker: string;
  readonly leases: readonly Lease[];
  readonly until: number;
}

/**
 * Renews what the worker still holds, in one statement, and returns the attempts it does not hold any more. Those of a
 * run that is being cancelled end here: this answer is how the worker learns of it.
 */
export async function renewLeases(writer: Writer, { worker, leases, until }: Renewal): Promise<string[]> {
  if (leases.length === 0) return [];
  const ids = leases.map((lease) => lease.attempt_id);
  const held = writer
    .updateTable("attempt")
    .where("id", "in", ids)
    .where("lease_owner", "=", worker)
    .where("state", "=", running);
  const renewed = await held.where(runIsActive).set({ lease_until: until }).returning(["id", "fence"]).execute();
  const fences = new Map(renewed.map((row) => [row.id, row.fence]));
  const lost = leases.filter((lease) => fences.get(lease.attempt_id) !== lease.fence);
  if (lost.length > 0) {
    await held
      .where(({ not }) => not(runIsActive))
      .set({ state: cancelled, lease_owner: null, lease_until: null })
      .execute();
  }
  return lost.map((lease) => lease.attempt_id);
}
