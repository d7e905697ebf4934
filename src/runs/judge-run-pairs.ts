import type { PairwiseComparison } from "../contract/comparison.ts";
import type { LabellerSettings } from "../contract/evaluation-request.ts";
import type { ChatModel } from "../contract/model.ts";
import type { PairwiseRequest } from "../contract/pairwise.ts";
import type { Store } from "../contract/store.ts";
import { pairwiseFigures, type JudgedPair } from "../evaluation/comparison/pairwise.ts";
import type { PriceOf } from "../evaluation/helper-usage.ts";
import type { Judge } from "../evaluation/judges/ask-judge.ts";
import { judgePair } from "../evaluation/judges/judge-pair.ts";
import { referenceReplies } from "../evaluation/reference-replies.ts";
import { runInLanes } from "../evaluation/run-in-lanes.ts";
import { fieldsError } from "./fields-error.ts";
import { findHelper } from "./find-helper.ts";
import { findRun, refuseUnfinished } from "./find-run.ts";
import type { ModelTarget } from "./model-target.ts";
import { withOperator } from "./operator-helper.ts";

export interface JudgeRunPairsOptions {
  readonly createModel: (target: ModelTarget) => ChatModel;
  readonly priceOf?: ((target: ModelTarget) => PriceOf) | undefined;
  readonly operatorJudge?: LabellerSettings | undefined;
  readonly owner?: string | null;
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
  { baseline: baselineId, candidate: candidateId, judge: requested, limit }: PairwiseRequest,
  { createModel, priceOf, operatorJudge, owner, concurrency = 8, signal }: JudgeRunPairsOptions,
): Promise<PairwiseComparison> {
  const { rubric, votes = 1, ...place } = withOperator(requested ?? {}, operatorJudge);
  const { target, problems } = findHelper("judge", place);
  if (!target) throw fieldsError(problems);
  // An audit measures verdicts on single replies; it says nothing about choosing between two.
  const model = createModel({ ...target, owner: owner ?? null });
  const judge: Judge = { model, votes, audited: false, priceOf: priceOf?.(target) };
  const baseline = new Map<string, FirstReply>();
  for await (const { key, ...reply } of firstReplies(store, baselineId, owner)) baseline.set(key, reply);
  const pairs: { left: FirstReply; right: FirstReply }[] = [];
  for await (const { key, ...right } of firstReplies(store, candidateId, owner)) {
    const left = baseline.get(key);
    if (left?.user_message === right.user_message) pairs.push({ left, right });
    if (pairs.length >= limit) break;
  }
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

/** The replies of the first attempts, each under a key that tells its question. */
async function* firstReplies(
  store: Store,
  runId: string,
  owner: string | null | undefined,
): AsyncGenerator<FirstReply & { readonly key: string }> {
  const run = await findRun(store, runId, owner);
  refuseUnfinished(run, "its replies cannot be compared yet");
  const scenarios = await store.runs.scenarios(runId);
  for await (const attempt of store.attempts.withInteractions(runId)) {
    const scenario = scenarios[attempt.scenario_index];
    if (!scenario || attempt.attempt !== 1) continue;
    for (const { turn_index, reply } of attempt.interactions) {
      const interaction = scenario.interactions[turn_index];
      if (!interaction || reply.error) continue;
      yield {
        key: JSON.stringify([scenario.id, interaction.id]),
        scenario: scenario.id,
        user_message: interaction.user_message,
        references: referenceReplies(interaction),
        reply: reply.agent_reply,
      };
    }
  }
}
