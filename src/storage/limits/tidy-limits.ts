import type { Writer } from "../database.ts";

/** Longer than any lease of a worker, and than the clocks of leases ever differ. */
const hour = 3_600_000;
/** How many tokens a call takes is of use for the next runs of the day. */
const keptMs = 24 * hour;

/**
 * Forgets workers that died with slots, and endpoints that nobody has called for a day. A time that lies far ahead was stored
 * before the host's clock started again.
 */
export async function tidyLimits(writer: Writer, now: number): Promise<void> {
  await writer
    .deleteFrom("endpoint_slots")
    .where(({ eb, or }) => or([eb("lease_until", "<", now - hour), eb("lease_until", ">", now + hour)]))
    .execute();
  await writer
    .deleteFrom("endpoint_limit")
    .where(({ eb, or }) => or([eb("settled_at", "<", now - keptMs), eb("settled_at", ">", now + hour)]))
    .execute();
}
