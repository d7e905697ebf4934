import { finalStates } from "../../contract/schemas/run.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";

/** The run, or a `run_not_found` error. With `owner`, a run of another owner is treated as missing. */
export async function getOwnedRun(store: Store, id: string, owner?: string | null): Promise<RunRecord> {
  const run = await store.runs.get(id);
  if (!run || (owner !== undefined && run.owner !== owner)) {
    throw new ServiceError("run_not_found", `There is no run "${id.slice(0, 80)}".`);
  }
  return run;
}

/** Refuses a run that has not ended; `why` ends the sentence. */
export function requireEndedRun({ id, state }: RunRecord, why: string): void {
  if (finalStates.has(state)) return;
  throw new ServiceError("run_not_finished", `The run ${id} has not ended (${state}); ${why}.`);
}

/** The error for a run that was deleted while it was in use. */
export function runGoneError(id: string): ServiceError {
  return new ServiceError("run_not_found", `The run ${id} no longer exists.`);
}

/** Throws when a run was deleted while its rows were read: a part could look like the whole. */
export async function assertRunExists(store: Store, id: string): Promise<void> {
  if ((await store.runs.state(id)) === null) throw runGoneError(id);
}
