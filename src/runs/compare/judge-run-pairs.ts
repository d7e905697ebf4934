import { compact } from "../../base/compact.ts";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type { PairwiseComparison, PairwiseRequest } from "../../contract/schemas/comparison.ts";
import type { LabellerSettings } from "../../contract/schemas/evaluation-request.ts";
import { pairwiseFigures, type JudgedPair } from "../../evaluation/comparison/pairwise.ts";
import type { PriceOf } from "../../evaluation/helpers/helper-usage.ts";
import type { Judge } from "../../evaluation/judges/ask-judge.ts";
import { judgePair } from "../../evaluation/judges/judge-pair.ts";
import { runConcurrently } from "../../evaluation/helpers/run-concurrently.ts";
import { invalidFieldsError } from "../plan/fields-error.ts";
import { resolveHelper, withOperatorDefaults, type ModelTarget } from "../plan/model-target.ts";
import { getOwnedRun, requireEndedRun } from "../stored/find-run.ts";
import { correctWinRate } from "../review/correct-scores.ts";
import { findReplyPairs, readReplyPair, type ReplyPair } from "../stored/reply-pairs.ts";

export interface JudgeRunPairsOptions {
  readonly createModel: (target: ModelTarget) => ChatModel;
  readonly priceOf?: ((target: ModelTarget) => PriceOf) | undefined;
  readonly operatorJudge?: LabellerSettings | undefined;
  readonly owner?: string | null;
  readonly concurrency?: number;
  readonly signal: AbortSignal;
}

/**
 * Lets a judge choose between the replies of two runs: those of the first attempts, to questions that both runs asked. Calls the
 * judge.
 */
export async function judgeRunPairs(
  store: Store,
  { baseline: baselineId, candidate: candidateId, judge: requested, limit }: PairwiseRequest,
  { createModel, priceOf, operatorJudge, owner, concurrency = 8, signal }: JudgeRunPairsOptions,
): Promise<PairwiseComparison> {
  const { rubric, votes = 1, ...baselineIndex } = withOperatorDefaults(requested ?? {}, operatorJudge);
  const { target, problems } = resolveHelper("judge", baselineIndex);
  if (!target) throw invalidFieldsError(problems);
  // An audit covers verdicts on single replies, not choices between two.
  const model = createModel({ ...target, owner: owner ?? null });
  const judge: Judge = { model, votes, audited: false, priceOf: priceOf?.(target) };
  const baseline = await endedPairRun(store, baselineId, owner);
  const candidate = await endedPairRun(store, candidateId, owner);
  const pairs: ReplyPair[] = [];
  let limited = false;
  for await (const pair of findReplyPairs(store, { baseline, candidate, signal })) {
    limited = pairs.length === limit;
    if (limited) break;
    pairs.push(pair);
  }
  const judged: (JudgedPair & { readonly pair: ReplyPair })[] = [];
  await runConcurrently(pairs, {
    lanes: concurrency,
    signal,
    run: async (pair, laneSignal) =>
      judgePair(judge, { pair: await readReplyPair(store, pair), rubric, signal: laneSignal }),
    keep: (pair, judgement) => {
      judged.push({ scenario: pair.right.scenario.id, judgement, pair });
      return Promise.resolve(true);
    },
  });
  const preferences = judged.flatMap(({ judgement: { winner }, pair }) =>
    winner === null ? [] : [{ pair, judge: winner === "right" ? 1 : winner === "tie" ? 0.5 : 0 }],
  );
  const corrected = await correctWinRate(store, { baseline, candidate }, preferences);
  const figures = compact({ ...pairwiseFigures(judged, judge.audited), corrected: corrected ?? undefined });
  if (!limited) return figures;
  return { ...figures, limited, sentence: `${figures.sentence} Only the first ${limit} pairs were judged.` };
}

/** Refuses a run that has not ended. */
async function endedPairRun(store: Store, id: string, owner: string | null | undefined): Promise<RunRecord> {
  const run = await getOwnedRun(store, id, owner);
  requireEndedRun(run, "its replies cannot be compared yet");
  return run;
}
