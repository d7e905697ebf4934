import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type { Interaction, Scenario } from "../../contract/schemas/scenario.ts";
import { referenceReplies } from "../../evaluation/conversation/conversation.ts";
import type { PairToJudge } from "../../evaluation/judges/judge-pair.ts";
import { createTranscript, type AttemptTranscript } from "./transcript.ts";
import { runGoneError } from "./find-run.ts";

/** One of two runs whose replies are paired. */
interface PairSide {
  readonly run: RunRecord;
  readonly scenarios: readonly Scenario[];
}

/** Identifies a stored turn of one run. */
interface PairedTurn {
  readonly side: PairSide;
  readonly scenario: Scenario;
  readonly attemptId: string;
  readonly turn: number;
}

/** Two replies to the same question. Their texts are read only when they are judged, to limit memory. */
export interface ReplyPair {
  /** Positions of the scenario in both runs. */
  readonly indexes: { readonly baseline: number; readonly candidate: number };
  readonly left: PairedTurn;
  readonly right: PairedTurn;
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
    const lefts = await turnsWithReply(store, baseline, baselineIndex);
    if (lefts.size === 0) continue;
    for (const [key, right] of await turnsWithReply(store, candidate, index)) {
      const left = lefts.get(key);
      if (left) yield { left, right, indexes: { baseline: baselineIndex, candidate: index } };
    }
  }
}

/** The turns of a scenario that its first attempt answered, by question. */
async function turnsWithReply(store: Store, side: PairSide, scenarioIndex: number): Promise<Map<string, PairedTurn>> {
  const found = new Map<string, PairedTurn>();
  const scenario = side.scenarios[scenarioIndex];
  for await (const { id, attempt, interactions } of store.attempts.withInteractions(side.run.id, scenarioIndex)) {
    if (!scenario || attempt !== 1) break;
    for (const { turn_index, reply } of interactions) {
      const interaction = scenario.interactions[turn_index];
      if (!interaction || reply.error) continue;
      found.set(pairQuestion(interaction), { side, scenario, attemptId: id, turn: turn_index });
    }
  }
  return found;
}

function pairQuestion({ id, user_message }: Interaction): string {
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

async function readTurns(store: Store, { side, scenario, attemptId }: PairedTurn): Promise<AttemptTranscript> {
  const transcript = createTranscript(scenario, side.run.settings);
  for (const { turn_index, reply } of await store.interactions.ofAttempt(attemptId))
    transcript.replies.set(turn_index, reply);
  return transcript;
}

function replyOf(transcript: AttemptTranscript, { turn, side }: PairedTurn): string {
  const reply = transcript.replies.get(turn);
  if (!reply) throw runGoneError(side.run.id);
  return reply.agent_reply;
}
