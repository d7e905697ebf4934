import type { Queue } from "../../src/contract/ports/queue.ts";
import type { Store } from "../../src/contract/ports/store.ts";

/** A new, empty database behind the two ports, for one test. */
export interface StorageUnderTest extends AsyncDisposable {
  readonly store: Store;
  readonly queue: Queue;
  /** How long a lease lives without a heartbeat. */
  readonly leaseMs: number;
  /** How much later than its end the driver may notice that a lease is over. */
  readonly noticeMs: number;
  /** Another connection to the same database, as another process would have. Closed with this one. */
  another(): Promise<{ readonly store: Store; readonly queue: Queue }>;
  /** Lets time pass for leases and delays. */
  pass(ms: number): Promise<void>;
}

/** Workers of this name are known to have broken down. */
export const brokeDown = (worker: string): boolean => worker.endsWith(":broken");

export type OpenStorage = () => Promise<StorageUnderTest>;
