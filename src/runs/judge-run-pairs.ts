import { ServiceError } from "../contract/errors.ts";
import type { PairwiseComparison } from "../contract/comparison.ts";
import type { Scenario } from "../contract/scenario.ts";
import type { Store } from "../contract/store.ts";
import { pairwiseFigures, type JudgedPair } from "../evaluation/comparison/pairwise.ts";
import type { Judge } from "../evaluation/judges/ask-judge.ts";
import { judgePair } from "../evaluation/judges/judge-pair.ts";
import { referenceReplies } from "../evaluation/reference-replies.ts";
import { runInLanes } from "../evaluation/run-in-lanes.ts";

export interface JudgeRunPairsOptions {
  readonly judge: Judge;
  readonly rubric?: string | undefined;
  readonly owner?: string | null;
  /** Pairs at most: each takes two calls per vote. */
  readonly limit?: number;
  readonly concurrency?: number;
  readonly signal: AbortSignal;
}

interface FirstReply {
  readonly scenario: string;
  readonly user_message: string;
  readonly references: readonly string[];
  readonly reply: string;
}

/** Lets a judge choose between the replies of two runs: those of the first attempt, to questions both were asked. Calls the judge. */
export async function judgeRunPairs(
  store: Store,
  baselineId: string,
  candidateId: string,
  options: JudgeRunPairsOptions,
): Promise<PairwiseComparison> {
  const { judge, rubric, signal, limit = 200, concurrency = 8 } = options;
  const baseline = await firstReplies(store, baselineId, { ...options, limit });
  const candidate = await firstReplies(store, candidateId, { ...options, limit });
  const pairs = [...baseline].flatMap(([key, left]) => {
    const right = candidate.get(key);
    return right && right.user_message === left.user_message ? [{ left, right }] : [];
  });
  const judged: JudgedPair[] = [];
  await runInLanes(pairs, {
    lanes: concurrency,
    signal,
    run: ({ left, right }, laneSignal) => {
      const { user_message, references } = left;
      const pair = { user_message, references, left: left.reply, right: right.reply };
      return judgePair(judge, { pair, rubric, signal: laneSignal });
    },
    keep: ({ left }, judgement) => {
      judged.push({ scenario: left.scenario, judgement });
      return Promise.resolve(true);
    },
  });
  return pairwiseFigures(judged, judge.audited);
}

async function firstReplies(
  store: Store,
  runId: string,
  { owner, limit }: { owner?: string | null; limit: number },
): Promise<Map<string, FirstReply>> {
  const run = await store.runs.get(runId);
  if (!run || (owner !== undefined && run.owner !== owner)) {
    throw new ServiceError("run_not_found", `There is no run "${runId.slice(0, 80)}".`);
  }
  const scenarios = await store.runs.scenarios(runId);
  const replies = new Map<string, FirstReply>();
  for await (const attempt of store.attempts.withInteractions(runId)) {
    const scenario = scenarios[attempt.scenario_index];
    if (!scenario || attempt.attempt !== 1) continue;
    for (const { turn_index, reply } of attempt.interactions) {
      if (replies.size >= limit) return replies;
      if (!reply.error) addReply(replies, { scenario, turn_index, reply: reply.agent_reply });
    }
  }
  return replies;
}

function addReply(
  replies: Map<string, FirstReply>,
  { scenario, turn_index, reply }: { scenario: Scenario; turn_index: number; reply: string },
): void {
  const interaction = scenario.interactions[turn_index];
  if (!interaction) return;
  replies.set(JSON.stringify([scenario.id, interaction.id]), {
    scenario: scenario.id,
    user_message: interaction.user_message,
    references: referenceReplies(interaction),
    reply,
  });
}
