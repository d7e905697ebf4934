import type { Interaction, Scenario } from "../contract/schemas/scenario.ts";
import type { RunRecord, Store } from "../contract/ports/store.ts";
import type { PairToJudge } from "../evaluation/judges/judge-pair.ts";
import { referenceReplies } from "../evaluation/conversation.ts";
import { findRun, goneError, refuseUnfinished } from "./find-run.ts";
import { holdTurns, type HeldTurns } from "./held-turns.ts";

/** One of the two runs. */
interface PairSide {
  readonly run: RunRecord;
  readonly scenarios: readonly Scenario[];
}

/** A turn of one run, by where it is stored. */
interface StoredTurn {
  readonly side: PairSide;
  readonly scenario: Scenario;
  readonly attemptId: string;
  readonly turn: number;
}

/** Two replies to the same question. Their texts are read when they are judged: they can be long, and many. */
export interface ReplyPair {
  readonly left: StoredTurn;
  readonly right: StoredTurn;
}

/** The run must have ended. */
export async function readSide(store: Store, id: string, owner: string | null | undefined): Promise<PairSide> {
  const run = await findRun(store, id, owner);
  refuseUnfinished(run, "its replies cannot be compared yet");
  return { run, scenarios: await store.runs.scenarios(id) };
}

interface PairedRuns {
  readonly baseline: PairSide;
  readonly candidate: PairSide;
  readonly signal: AbortSignal;
}

/** What both runs were asked and answered in the first attempts, in the candidate's order. Fails once `signal` aborts. */
export async function* findPairs(store: Store, { baseline, candidate, signal }: PairedRuns): AsyncGenerator<ReplyPair> {
  const places = new Map(baseline.scenarios.map(({ id }, index) => [id, index]));
  for (const [index, { id }] of candidate.scenarios.entries()) {
    const place = places.get(id);
    if (place === undefined) continue;
    signal.throwIfAborted();
    const lefts = await answeredTurns(store, baseline, place);
    if (lefts.size === 0) continue;
    for (const [key, right] of await answeredTurns(store, candidate, index)) {
      const left = lefts.get(key);
      if (left) yield { left, right };
    }
  }
}

/** The turns of a scenario that its first attempt got a reply to, each under what it asks. */
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

/** The pair as a judge is shown it, each reply with the conversation it continues. Fails when a run was deleted. */
export async function readPair(store: Store, { left, right }: ReplyPair): Promise<PairToJudge> {
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

async function readTurns(store: Store, { side, scenario, attemptId }: StoredTurn): Promise<HeldTurns> {
  const held = holdTurns(scenario, side.run.settings);
  for (const { turn_index, reply } of await store.interactions.ofAttempt(attemptId))
    held.replies.set(turn_index, reply);
  return held;
}

function replyOf(held: HeldTurns, { turn, side }: StoredTurn): string {
  const reply = held.replies.get(turn);
  if (!reply) throw goneError(side.run.id);
  return reply.agent_reply;
}
