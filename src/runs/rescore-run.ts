import { ServiceError } from "../contract/errors.ts";
import type { StoredScores } from "../contract/interaction-result.ts";
import { finalStates } from "../contract/run.ts";
import type { Scenario } from "../contract/scenario.ts";
import type { RescoredTurn, RunRecord, Store, StoredInteraction } from "../contract/store.ts";
import { averageInteractions } from "../evaluation/average-scores.ts";
import { scoreInteraction } from "../evaluation/score-interaction.ts";
import type { CreateRunScoring } from "./run-context.ts";
import { figureRun } from "./figure-run.ts";

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
  const { store, createScoring, now } = options;
  const run = await endedRun(runId, options);
  const scenarios = await store.runs.scenarios(runId);
  const { scoring } = await createScoring({ settings: run.settings, scenarios, ledger: null });
  let batch: RescoredTurn[] = [];

  async function flush(): Promise<void> {
    if (batch.length > 0) await store.interactions.rescore(runId, batch);
    batch = [];
  }

  for await (const attempt of store.attempts.withInteractions(runId)) {
    const scenario = scenarios[attempt.scenario_index];
    if (!scenario) continue;
    const first: StoredScores[] = [];
    for (const turn of attempt.interactions) {
      options.signal?.throwIfAborted();
      const scores = await rescoreTurn(turn, { scenario, scoring, options });
      batch.push({ attempt_id: attempt.id, turn_index: turn.turn_index, scores });
      if (turn.turn_index < scenario.interactions.length) first.push(scores);
      if (batch.length >= batchSize) await flush();
    }
    await flush();
    const conversation = first.at(-1)?.conversation?.scores;
    const average_scores = { ...averageInteractions(first.map(({ scores }) => scores)), ...conversation };
    await store.attempts.reaverage(runId, { attempt_id: attempt.id, average_scores });
  }
  const { summary, message } = await figureRun(run, { store, now });
  await store.runs.resummarize(runId, { summary, message: run.state === "completed" ? message : run.message });
  return endedRun(runId, options);
}

async function rescoreTurn(
  { turn_index, reply, scores }: StoredInteraction,
  {
    scenario,
    scoring,
    options,
  }: { scenario: Scenario; scoring: Awaited<ReturnType<CreateRunScoring>>["scoring"]; options: RescoreOptions },
): Promise<StoredScores> {
  const interaction = scenario.interactions[turn_index % scenario.interactions.length];
  if (!interaction) throw new RangeError(`The scenario has no turn ${turn_index}`);
  const kept = options.askModels ? undefined : (scores ?? nothingSaid);
  const rescored = await scoreInteraction({
    interaction,
    reply,
    scoring,
    earlier: kept,
    ...(options.signal && { signal: options.signal }),
  });
  // A verdict on the whole conversation is not asked for again: it belongs to the attempt, not to a turn.
  return scores?.conversation ? { ...rescored, conversation: scores.conversation } : rescored;
}

/** A reply that was never scored: no model said anything about it, and none is asked. */
const nothingSaid: StoredScores = {
  generated_metadata: {},
  label_sources: {},
  scores: {},
  score_reasons: {},
  scoring_version: "",
};

async function endedRun(id: string, { store, owner }: RescoreOptions): Promise<RunRecord> {
  const run = await store.runs.get(id);
  if (!run || (owner !== undefined && run.owner !== owner)) {
    throw new ServiceError("run_not_found", `There is no run "${id.slice(0, 80)}".`);
  }
  if (!finalStates.has(run.state)) {
    throw new ServiceError(
      "validation_failed",
      `The run ${id} has not ended (${run.state}); only ended runs are scored again.`,
    );
  }
  return run;
}
