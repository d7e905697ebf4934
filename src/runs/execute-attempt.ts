import type { Scenario } from "../contract/scenario.ts";
import type { StoredReply, StoredScores } from "../contract/interaction-result.ts";
import type { ClaimedAttempt, Queue } from "../contract/queue.ts";
import type { Store } from "../contract/store.ts";
import { averageInteractions } from "../evaluation/average-scores.ts";
import { runAttempt } from "../evaluation/run-attempt.ts";
import { scoreInteraction } from "../evaluation/score-interaction.ts";
import type { RunContext } from "./run-context.ts";

export interface ExecuteOptions {
  readonly store: Store;
  readonly queue: Queue;
  readonly context: RunContext;
  readonly signal: AbortSignal;
  readonly onStored: () => void;
}

/** The lease went to someone else, or the run was cancelled: nothing more may be written. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/**
 * Runs one claimed attempt from its first missing turn to its end. Every reply is stored before the next call starts;
 * a reply that was stored without scores by a worker that died is scored, not asked for again.
 */
export async function executeAttempt(
  claimed: ClaimedAttempt,
  { store, queue, context, signal, onStored }: ExecuteOptions,
): Promise<{ finished: boolean; run_drained: boolean }> {
  const { lease } = claimed;
  const scenario = scenarioAt(context, claimed.scenario_index);
  const scored = new Map<number, StoredScores>();
  const stored = new Map<number, StoredReply>();
  const score = (turn: number, reply: StoredReply): Promise<StoredScores> =>
    scoreTurn(scenario, { turn, reply, context });

  for (const interaction of await store.interactions.ofAttempt(lease.attempt_id)) {
    const turn = interaction.turn_index;
    stored.set(turn, interaction.reply);
    scored.set(turn, interaction.scores ?? (await score(turn, interaction.reply)));
    if (interaction.scores) continue;
    await mustHold(store.interactions.score(lease, { turn_index: turn, scores: scored.get(turn)! }));
  }

  await runAttempt({
    scenario,
    model: context.model,
    systemPrompt: context.settings.system_prompt,
    parameters: context.settings.parameters,
    onFailure: context.settings.on_failure,
    stored,
    signal,
    onReply: async (turn, reply) => {
      const scores = await score(turn, reply);
      await mustHold(store.interactions.store(lease, { turn_index: turn, reply, scores }));
      scored.set(turn, scores);
      onStored();
    },
  });
  return queue.finish(lease, {
    average_scores: averageInteractions([...scored.values()].map((entry) => entry.scores)),
  });
}

function scenarioAt(context: RunContext, index: number): Scenario {
  const scenario = context.scenarios[index];
  if (!scenario) throw new RangeError(`The run has no scenario ${index}`);
  return scenario;
}

function scoreTurn(
  scenario: Scenario,
  { turn, reply, context }: { turn: number; reply: StoredReply; context: RunContext },
): Promise<StoredScores> {
  const interaction = scenario.interactions[turn];
  if (!interaction) throw new RangeError(`The scenario has no turn ${turn}`);
  return scoreInteraction({ interaction, reply, candidates: context.candidates });
}

async function mustHold(write: Promise<boolean>): Promise<void> {
  if (!(await write)) throw new LeaseLost("The attempt belongs to another worker or its run was cancelled");
}
