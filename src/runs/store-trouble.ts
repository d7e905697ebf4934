import type { ErrorCode } from "../contract/errors.ts";
import { ServiceError } from "../contract/service-error.ts";

/** Sees the failures of a worker and tells when the store has taken nothing for so long that nobody should wait for its runs. */
export interface StoreTrouble {
  /** The failure, when it is one of the store and has lasted; else null. */
  lasting(error: unknown): ServiceError | null;
}

/** As long as whoever waits for a run waits for a store that cannot be read. */
const longestMs = 15_000;
/** A worker tries every second: when nothing failed for so long, the trouble before is over. */
const pauseMs = 5_000;

const codes: ReadonlySet<ErrorCode> = new Set(["storage_full", "storage_unavailable"]);

export function createStoreTrouble(now: () => number = () => performance.now()): StoreTrouble {
  let since = Number.NEGATIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;

  return {
    lasting(error) {
      if (!(error instanceof ServiceError) || !codes.has(error.code)) return null;
      const at = now();
      if (at - last > pauseMs) since = at;
      last = at;
      return at - since >= longestMs ? error : null;
    },
  };
}
