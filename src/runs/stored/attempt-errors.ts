import { isShuttingDown, isStoreFailure, ServiceError } from "../../contract/errors/errors.ts";

/** The process ran out of memory or stood still while this attempt was the only one in progress. */
export class ProcessBroken extends Error {
  override readonly name = "ProcessBroken";

  constructor() {
    super(
      "it ended its process twice, the second time with nothing beside it: the process ran out of memory, or stood still for longer than REHEARSAL_WATCHDOG_MS. Use a smaller scenario, or more memory (NODE_OPTIONS=--max-old-space-size=<MB>)",
    );
  }
}

/** The lease belongs to another worker, or the run was cancelled: nothing more may be written. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** The attempt has to wait for others: it goes back to the queue. */
export class Postponed extends Error {
  override readonly name = "Postponed";
}

/** True for errors caused by the environment (lost lease, store down, shutdown, no memory): the attempt can be retried. */
export function isTransient(error: unknown): boolean {
  if (error instanceof LeaseLost || error instanceof Postponed) return true;
  return isStoreFailure(error) || isShuttingDown(error) || isOverloaded(error);
}

function isOverloaded(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "overloaded";
}
