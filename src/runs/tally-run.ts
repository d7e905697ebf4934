import { canonicalJson } from "../base/json.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import type { RunRecord, Store } from "../contract/ports/store.ts";
import type { FailedReplies } from "../evaluation/comparison/run-tally.ts";
import { createRunTally, type RunTally } from "../evaluation/comparison/run-tally.ts";
import type { ComparedSide } from "./compare-sides.ts";
import { createEmbedderBaselines } from "./embedder-baselines.ts";
import { goneError } from "./find-run.ts";
import { measuresOf } from "./measures-of.ts";

/** A stored run, made ready to be compared. */
export interface TalliedRun extends ComparedSide {
  readonly run: RunRecord;
  readonly scenarios: readonly Scenario[];
}

export interface TallyOptions {
  /** The first so many of each scenario count. */
  readonly attempts: number;
  /** Where one of the runs that are compared has no reply. */
  readonly failed: FailedReplies;
}

/** Reads a run turn by turn. Fails when it is deleted meanwhile; one that is scored again meanwhile is read once more. */
export async function tallyRun(store: Store, run: RunRecord, options: TallyOptions): Promise<TalliedRun> {
  const tallied = await readTally(store, run, options);
  const now = await store.runs.get(run.id);
  if (!now) throw goneError(run.id);
  const isAsRead = canonicalJson(now.summary?.rescored ?? null) === canonicalJson(run.summary?.rescored ?? null);
  return isAsRead ? tallied : tallyRun(store, now, options);
}

async function readTally(store: Store, run: RunRecord, { attempts, failed }: TallyOptions): Promise<TalliedRun> {
  const scenarios = await store.runs.scenarios(run.id);
  const tally = createRunTally({ failed });
  const embedders = createEmbedderBaselines();
  for await (const turns of store.interactions.scored(run.id)) {
    for (const { scenario_index, attempt, turn_index, embedder, baseline, ...scored } of turns) {
      if (attempt > attempts) continue;
      // Turns behind those of the scenario belong to the second pass, which is no part of a run's figures.
      const scenario = scenarios[scenario_index];
      const interaction = scenario?.interactions[turn_index];
      if (!scenario || !interaction) continue;
      if (embedder !== null) embedders.add({ embedder, baseline: baseline ?? 0 });
      tally.add({ scenario_id: scenario.id, interaction, attempt, ...scored });
    }
  }
  const { state, settings, summary } = run;
  const { history } = settings;
  return {
    run,
    scenarios,
    state,
    rescored: summary?.rescored,
    history,
    measures: measuresOf(settings),
    embedders,
    tally: inOrder(tally, scenarios),
  };
}

/** Turns come in the order they were stored, which is chance; the comparison follows the suite. */
function inOrder(tally: RunTally, scenarios: readonly Scenario[]): RunTally {
  const ordered = scenarios.flatMap(({ id, interactions }) => {
    const tallied = tally.scenarios.get(id);
    if (!tallied) return [];
    const turns = interactions.flatMap((turn) => {
      const entry = tallied.get(turn.id);
      return entry ? [[turn.id, entry] as const] : [];
    });
    return [[id, new Map(turns)] as const];
  });
  return { ...tally, scenarios: new Map(ordered) };
}
