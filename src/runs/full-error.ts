import { ServiceError } from "../contract/errors.ts";
import type { MostUnfinished } from "../contract/ports/store.ts";

/** When to ask again with a run that was refused because there were too many. */
const fullRetryMs = 10_000;

/** Why a new run is refused: too many have not ended, of one owner or of all. */
export function fullError(of: "owner" | "all", most: MostUnfinished | undefined): ServiceError {
  const [code, whose, count, setting] =
    of === "owner"
      ? (["rate_limited", "of this key's owner ", most?.perOwner, "REHEARSAL_QUEUE_MAX_RUNS_PER_KEY"] as const)
      : (["overloaded", "", most?.all, "REHEARSAL_QUEUE_MAX_RUNS"] as const);
  return new ServiceError(code, `As many runs ${whose}as there may be (${count}) have not ended yet.`, {
    hint: `Wait until some have ended, cancel those nobody needs, or raise ${setting}.`,
    retryAfterMs: fullRetryMs,
  });
}
