import type { ChatModel } from "../../contract/ports/chat-model.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type { PairwiseComparison } from "../../contract/schemas/comparison.ts";
import type { CorrectedMean } from "../../contract/schemas/judging/human-verdict.ts";
import type { LabellerSettings } from "../../contract/schemas/evaluation-request.ts";
import type { PairwiseRequest } from "../../contract/schemas/comparison.ts";
import type { Interaction, Scenario } from "../../contract/schemas/scenario.ts";
import { pairwiseFigures, type JudgedPair } from "../../evaluation/comparison/pairwise.ts";
import type { PriceOf } from "../../evaluation/budget/helper-usage.ts";
import { correctMean } from "../../evaluation/judges/correct-judge.ts";
import type { Judge } from "../../evaluation/judges/ask-judge.ts";
import { judgePair, type PairToJudge } from "../../evaluation/judges/judge-pair.ts";
import { referenceReplies } from "../../evaluation/conversation.ts";
import { runConcurrently } from "../../evaluation/run-concurrently.ts";
import { createTranscript, type AttemptTranscript } from "../execute/transcript.ts";
import { invalidFieldsError } from "../plan/fields-error.ts";
import { resolveHelper, withOperatorDefaults, type ModelTarget } from "../plan/model-target.ts";
import { preferenceName, readReplyVerdicts, replyKey } from "../review/reply-verdicts.ts";
import { getOwnedRun, runGoneError, requireEndedRun } from "../results/find-run.ts";

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
  const baseline = await endedRun(store, baselineId, owner);
  const candidate = await endedRun(store, candidateId, owner);
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
  const corrected = await correctedWinRate(store, judged, { baseline, candidate });
  const figures = { ...pairwiseFigures(judged, judge.audited), ...(corrected && { corrected }) };
  if (!limited) return figures;
  return { ...figures, limited, sentence: `${figures.sentence} Only the first ${limit} pairs were judged.` };
}

/** The win rate corrected by people's choices between the same replies; null when there are none. */
async function correctedWinRate(
  store: Store,
  judged: readonly (JudgedPair & { readonly pair: ReplyPair })[],
  { baseline, candidate }: { readonly baseline: RunRecord; readonly candidate: RunRecord },
): Promise<CorrectedMean | null> {
  const filter = { question: preferenceName, against: baseline.id };
  const verdicts = await readReplyVerdicts(store, candidate.id, filter);
  if (verdicts.length === 0) return null;
  const human = new Map(verdicts.filter(({ sampled }) => sampled).map((verdict) => [replyKey(verdict), verdict.value]));
  const counts = new Map<string, number>();
  for (const { scenario, judgement } of judged)
    if (judgement.winner !== null) counts.set(scenario, (counts.get(scenario) ?? 0) + 1);
  const replies = judged.flatMap(({ scenario, judgement: { winner }, pair }) => {
    if (winner === null) return [];
    const place = { scenario_index: pair.scenarioIndex, attempt: 1, turn_index: pair.right.turn };
    const judge = winner === "right" ? 1 : winner === "tie" ? 0.5 : 0;
    return [{ cluster: scenario, judge, human: human.get(replyKey(place)), weight: 1 / (counts.get(scenario) ?? 1) }];
  });
  return correctMean("win_rate", replies);
}

interface PairSide {
  readonly run: RunRecord;
  readonly scenarios: readonly Scenario[];
}

/** Identifies a stored turn of one run. */
interface StoredTurn {
  readonly side: PairSide;
  readonly scenario: Scenario;
  readonly attemptId: string;
  readonly turn: number;
}

/** Two replies to the same question. Their texts are read only when they are judged, to limit memory. */
export interface ReplyPair {
  /** Position of the scenario in the candidate. */
  readonly scenarioIndex: number;
  readonly left: StoredTurn;
  readonly right: StoredTurn;
}

/** Refuses a run that has not ended. */
async function endedRun(store: Store, id: string, owner: string | null | undefined): Promise<RunRecord> {
  const run = await getOwnedRun(store, id, owner);
  requireEndedRun(run, "its replies cannot be compared yet");
  return run;
}

interface PairedRuns {
  readonly baseline: RunRecord;
  readonly candidate: RunRecord;
  readonly signal: AbortSignal;
}

/** The turns that both runs answered in their first attempts, in the candidate's order. Throws once `signal` aborts. */
export async function* findReplyPairs(store: Store, { signal, ...runs }: PairedRuns): AsyncGenerator<ReplyPair> {
  const baseline: PairSide = { run: runs.baseline, scenarios: await store.runs.scenarios(runs.baseline.id) };
  const candidate: PairSide = { run: runs.candidate, scenarios: await store.runs.scenarios(runs.candidate.id) };
  const indexes = new Map(baseline.scenarios.map(({ id }, index) => [id, index]));
  for (const [index, { id }] of candidate.scenarios.entries()) {
    const baselineIndex = indexes.get(id);
    if (baselineIndex === undefined) continue;
    signal.throwIfAborted();
    const lefts = await answeredTurns(store, baseline, baselineIndex);
    if (lefts.size === 0) continue;
    for (const [key, right] of await answeredTurns(store, candidate, index)) {
      const left = lefts.get(key);
      if (left) yield { left, right, scenarioIndex: index };
    }
  }
}

/** The turns of a scenario that its first attempt answered, by question. */
async function answeredTurns(store: Store, side: PairSide, scenarioIndex: number): Promise<Map<string, StoredTurn>> {
  const found = new Map<string, StoredTurn>();
  const scenario = side.scenarios[scenarioIndex];
  for await (const { id, attempt, interactions } of store.attempts.withInteractions(side.run.id, scenarioIndex)) {
    if (!scenario || attempt !== 1) break;
    for (const { turn_index, reply } of interactions) {
      const interaction = scenario.interactions[turn_index];
      if (!interaction || reply.error) continue;
      found.set(questionOf(interaction), { side, scenario, attemptId: id, turn: turn_index });
    }
  }
  return found;
}

function questionOf({ id, user_message }: Interaction): string {
  return JSON.stringify([id, user_message]);
}

/** The pair with the conversation before each reply. Throws when a run was deleted. */
export async function readReplyPair(store: Store, { left, right }: ReplyPair): Promise<PairToJudge> {
  const [one, other] = [await readTurns(store, left), await readTurns(store, right)];
  const { user_message, ...asked } = one.interactionAt(left.turn);
  return {
    user_message,
    references: referenceReplies(asked),
    left: replyOf(one, left),
    right: replyOf(other, right),
    before: { left: one.before(left.turn), right: other.before(right.turn) },
  };
}

async function readTurns(store: Store, { side, scenario, attemptId }: StoredTurn): Promise<AttemptTranscript> {
  const transcript = createTranscript(scenario, side.run.settings);
  for (const { turn_index, reply } of await store.interactions.ofAttempt(attemptId))
    transcript.replies.set(turn_index, reply);
  return transcript;
}

function replyOf(transcript: AttemptTranscript, { turn, side }: StoredTurn): string {
  const reply = transcript.replies.get(turn);
  if (!reply) throw runGoneError(side.run.id);
  return reply.agent_reply;
}
