import type { PairwiseComparison } from "../contract/schemas/comparison.ts";
import type { LabellerSettings } from "../contract/schemas/evaluation-request.ts";
import type { ChatModel } from "../contract/ports/chat-model.ts";
import type { PairwiseRequest } from "../contract/schemas/judge-audit.ts";
import type { Store } from "../contract/ports/store.ts";
import { pairwiseFigures, type JudgedPair } from "../evaluation/comparison/pairwise.ts";
import type { PriceOf } from "../evaluation/budget/helper-usage.ts";
import type { Judge } from "../evaluation/judges/ask-judge.ts";
import { judgePair } from "../evaluation/judges/judge-pair.ts";
import { runConcurrently } from "../evaluation/run-concurrently.ts";
import { fieldsError } from "./fields-error.ts";
import { findHelper } from "./find-helper.ts";
import type { ModelTarget } from "./model-target.ts";
import { withOperator } from "./operator-helper.ts";
import { findPairs, readPair, readSide, type ReplyPair } from "./reply-pairs.ts";

export interface JudgeRunPairsOptions {
  readonly createModel: (target: ModelTarget) => ChatModel;
  readonly priceOf?: ((target: ModelTarget) => PriceOf) | undefined;
  readonly operatorJudge?: LabellerSettings | undefined;
  readonly owner?: string | null;
  readonly concurrency?: number;
  readonly signal: AbortSignal;
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
  const baseline = await readSide(store, baselineId, owner);
  const candidate = await readSide(store, candidateId, owner);
  const pairs: ReplyPair[] = [];
  let limited = false;
  for await (const pair of findPairs(store, { baseline, candidate, signal })) {
    limited = pairs.length === limit;
    if (limited) break;
    pairs.push(pair);
  }
  const judged: JudgedPair[] = [];
  await runConcurrently(pairs, {
    lanes: concurrency,
    signal,
    run: async (pair, laneSignal) =>
      judgePair(judge, { pair: await readPair(store, pair), rubric, signal: laneSignal }),
    keep: ({ right }, judgement) => {
      judged.push({ scenario: right.scenario.id, judgement });
      return Promise.resolve(true);
    },
  });
  const figures = pairwiseFigures(judged, judge.audited);
  if (!limited) return figures;
  return { ...figures, limited, sentence: `${figures.sentence} Only the first ${limit} pairs were judged.` };
}
