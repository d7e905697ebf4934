import { ServiceError } from "../contract/service-error.ts";
import type { RunRecord, Store } from "../contract/store.ts";

/** The run, or a `run_not_found`. One of another owner is as good as none; without `owner` anyone's will do. */
export async function findRun(store: Store, id: string, owner?: string | null): Promise<RunRecord> {
  const run = await store.runs.get(id);
  if (!run || (owner !== undefined && run.owner !== owner)) {
    throw new ServiceError("run_not_found", `There is no run "${id.slice(0, 80)}".`);
  }
  return run;
}

/** For whoever waits for a run that was there. */
export function goneError(id: string): ServiceError {
  return new ServiceError("run_not_found", `The run ${id} no longer exists.`);
}
