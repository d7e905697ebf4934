import { canonicalJson } from "../../base/json.ts";
import { redactEndpoint } from "../../base/secret.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type { ComparedRun } from "../../contract/schemas/comparison.ts";
import { ratioMeasures, type Margins } from "../../contract/schemas/margins.ts";
import { passThreshold } from "../../contract/schemas/outcome.ts";
import type { Interaction, Scenario } from "../../contract/schemas/scenario.ts";
import { keptByAttempt } from "../../evaluation/comparison/not-worse.ts";
import {
  createFailedReplies,
  type FailedReplies,
  createRunTally,
  type RunTally,
} from "../../evaluation/comparison/run-tally.ts";
import { runGoneError } from "../stored/find-run.ts";
import type { ComparedSide } from "./compare-sides.ts";
import { createEmbedderBaselines, toMeasures } from "../stored/score-definitions.ts";

/** A stored run, ready to be compared. */
export interface StoredSide extends ComparedSide {
  readonly run: RunRecord;
  readonly scenarios: readonly Scenario[];
}

export interface TallyOptions {
  /** The number of attempts per scenario that count. */
  readonly attempts: number;
  /** Replies that failed in any of the compared runs. */
  readonly failed: FailedReplies;
  /** Replies that failed in the baseline. Set for a decision, which counts a missing reply as 0. */
  readonly unanswered?: FailedReplies | undefined;
  /** Set for a comparison with margins. */
  readonly margins?: Margins | undefined;
}

/** Reads a run turn by turn. Throws when the run is deleted meanwhile; reads it again when it is rescored meanwhile. */
export async function readComparedRun(store: Store, run: RunRecord, options: TallyOptions): Promise<StoredSide> {
  const tallied = await readTally(store, run, options);
  const now = await store.runs.get(run.id);
  if (!now) throw runGoneError(run.id);
  const isAsRead = canonicalJson(now.summary?.rescored ?? null) === canonicalJson(run.summary?.rescored ?? null);
  return isAsRead ? tallied : readComparedRun(store, now, options);
}

async function readTally(
  store: Store,
  run: RunRecord,
  { attempts, failed, unanswered, margins }: TallyOptions,
): Promise<StoredSide> {
  const scenarios = await store.runs.scenarios(run.id);
  const tally = createRunTally({ failed, unanswered, byAttempt: margins && keptByAttempt(margins) });
  const calls = Object.keys(margins ?? {}).some((name) => ratioMeasures.has(name));
  const embedders = createEmbedderBaselines();
  for await (const turns of store.interactions.scored(run.id, { calls })) {
    for (const turn of turns) {
      const { scenario_index, turn_index, embedder, baseline } = turn;
      if (turn.attempt > attempts) continue;
      // Turns after those of the scenario belong to the second pass, which is not part of a run's figures.
      const scenario = scenarios[scenario_index];
      const interaction = scenario && comparedTurn(scenario, turn_index);
      if (!scenario || !interaction) continue;
      if (embedder !== null) embedders.add({ embedder, baseline: baseline ?? 0 });
      const expectation = expectationAt(scenario, turn_index, run.settings);
      tally.add({ ...turn, scenario_id: scenario.id, interaction, expectation });
    }
  }
  const { state, settings, summary } = run;
  const { history } = settings;
  return {
    run,
    run_id: run.id,
    scenarios,
    state,
    threshold: passThreshold(settings),
    rescored: summary?.rescored,
    history,
    measures: toMeasures(settings),
    embedders,
    tally: inOrder(tally, scenarios),
    unaudited: new Set(summary?.unaudited_scores),
  };
}

/** Rules for the tool calls of the turn; with the last one, the outcome that is expected of the conversation. */
function expectationAt(
  { interactions, expect, tool_matching }: Scenario,
  turn: number,
  run: RunRecord["settings"],
): unknown {
  const matching = interactions[turn]?.reference_tool_calls && { ...run.tool_matching, ...tool_matching };
  const outcome = turn === interactions.length - 1 || interactions[turn]?.simulated ? expect : undefined;
  return matching || outcome ? [matching ?? null, outcome ?? null] : undefined;
}

/** Conversations with a simulated user differ in length, so all its turns are compared as one. */
function comparedTurn({ interactions }: Scenario, turn: number): Interaction | undefined {
  return interactions[turn]?.simulated ? interactions.at(-1) : interactions[turn];
}

/** Puts turns into the order of the suite; they are stored in the order of completion. */
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

/** The replies that failed in any of these runs. Runs without failures are not read. */
export async function readFailedReplies(store: Store, runs: readonly RunRecord[]): Promise<FailedReplies> {
  const failed = createFailedReplies();
  for (const { id } of runs.filter(({ summary }) => summary?.failed !== 0)) {
    const scenarios = await store.runs.scenarios(id);
    for await (const turns of store.interactions.scored(id, { failed: true })) {
      for (const { scenario_index, turn_index, attempt, scores } of turns) {
        const scenario = scenarios[scenario_index];
        const interaction = scenario && comparedTurn(scenario, turn_index);
        if (!scenario || !interaction) continue;
        failed.add({ scenario_id: scenario.id, interaction_id: interaction.id, attempt, scores });
      }
    }
  }
  return failed;
}

/** The fields that identify a run in a comparison. */
export function toComparedRun({ id, settings, demo }: RunRecord): ComparedRun {
  const { test_name, model_id, endpoint } = settings;
  return { run_id: id, test_name, model_id, endpoint: redactEndpoint(endpoint), demo };
}
