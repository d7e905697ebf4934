import { finalStates } from "../contract/schemas/run.ts";
import { ServiceError } from "../contract/errors.ts";
import type { RunRecord, Store } from "../contract/ports/store.ts";

/** The run, or a `run_not_found`. One of another owner is as good as none; without `owner` anyone's will do. */
export async function findRun(store: Store, id: string, owner?: string | null): Promise<RunRecord> {
  const run = await store.runs.get(id);
  if (!run || (owner !== undefined && run.owner !== owner)) {
    throw new ServiceError("run_not_found", `There is no run "${id.slice(0, 80)}".`);
  }
  return run;
}

/** Refuses a run that goes on; `why` ends the sentence. */
export function refuseUnfinished({ id, state }: RunRecord, why: string): void {
  if (finalStates.has(state)) return;
  throw new ServiceError("run_not_finished", `The run ${id} has not ended (${state}); ${why}.`);
}

/** For whoever waits for a run that was there. */
export function goneError(id: string): ServiceError {
  return new ServiceError("run_not_found", `The run ${id} no longer exists.`);
}

/** For whoever has read the rows of a run: of one that was deleted meanwhile they may be a part and look like all. */
export async function mustExist(store: Store, id: string): Promise<void> {
  if ((await store.runs.state(id)) === null) throw goneError(id);
}
