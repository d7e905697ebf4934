import type { RunRecord, Store } from "../contract/store.ts";
import type { CreateRunScoring } from "./run-context.ts";
import { figureRun } from "./figure-run.ts";
import { findRun, refuseUnfinished } from "./find-run.ts";
import { rescoreAttempt } from "./rescore-attempt.ts";

export interface RescoreOptions {
  readonly store: Store;
  readonly createScoring: CreateRunScoring;
  readonly now: () => number;
  readonly owner?: string | null;
  /** Asks judge, labeller and embedder again. Default: what they said is kept, and no model is called. */
  readonly askModels?: boolean;
  readonly signal?: AbortSignal;
}

/** Turns written together. */
const batchSize = 200;

/** Scores a run that has ended again by today's definitions, from its stored replies. Safe to repeat, and after a crash to do over. */
export async function rescoreRun(runId: string, options: RescoreOptions): Promise<RunRecord> {
  const run = await endedRun(runId, options);
  try {
    await rescoreAttempts(run, options);
  } catch (error) {
    // Broken off: the run's own figures are those of what is stored all the same.
    await refigure(run, options).catch(() => {});
    throw error;
  }
  await refigure(run, options);
  return endedRun(runId, options);
}

async function rescoreAttempts(run: RunRecord, options: RescoreOptions): Promise<void> {
  const { store, createScoring } = options;
  const { id: runId, settings } = run;
  const scenarios = await store.runs.scenarios(runId);
  const scoring = await createScoring({ owner: run.owner, settings, scenarios, ledger: null });

  for await (const attempt of store.attempts.withInteractions(runId)) {
    const scenario = scenarios[attempt.scenario_index];
    if (!scenario) continue;
    const { turns, average_scores } = await rescoreAttempt(attempt, { ...options, settings, scenario, ...scoring });
    for (let first = 0; first < turns.length; first += batchSize) {
      await store.interactions.rescore(runId, turns.slice(first, first + batchSize));
    }
    await store.attempts.reaverage(runId, { attempt_id: attempt.id, average_scores });
  }
}

async function refigure(run: RunRecord, { store, now }: RescoreOptions): Promise<void> {
  const { summary, message } = await figureRun(run, { store, now });
  await store.runs.resummarize(run.id, { summary, message: run.state === "completed" ? message : run.message });
}

async function endedRun(id: string, { store, owner }: RescoreOptions): Promise<RunRecord> {
  const run = await findRun(store, id, owner);
  refuseUnfinished(run, "only ended runs are scored again");
  return run;
}
