import type { RunRecord, Store } from "../../contract/ports/store.ts";
import { finalStates } from "../../contract/schemas/run.ts";

/** How long the creation of runs that belong together may take. */
export const creationMs = 30_000;

interface FinishedScenarios {
  /** Scenarios of which every attempt has ended with a turn. */
  readonly ids: ReadonlySet<string>;
  /** True when an attempt has ended without one: the budget is spent. */
  readonly skipped: boolean;
}

/** The scenarios that have ended in a run. */
export async function finishedScenarios(
  store: Store,
  { id, state, settings, progress }: RunRecord,
): Promise<FinishedScenarios> {
  const scenarios = await store.runs.scenarios(id);
  const counts = new Map<number, number>();
  let ended = 0;
  for await (const page of store.attempts.averages(id))
    for (const { scenario_index, state: attemptState } of page) {
      if (attemptState !== "done") continue;
      ended += 1;
      counts.set(scenario_index, (counts.get(scenario_index) ?? 0) + 1);
    }
  // A stored run may have had a budget: what it has counts.
  const needed = finalStates.has(state) && !settings.sequence ? 1 : settings.attempts;
  const isFinished = (index: number): boolean => (counts.get(index) ?? 0) >= needed;
  return {
    ids: new Set(scenarios.flatMap((scenario, index) => (isFinished(index) ? scenario.id : []))),
    // The progress was read before the attempts, so it counts no attempt that these do not.
    skipped: settings.sequence !== undefined && progress.attempts_done > ended,
  };
}
