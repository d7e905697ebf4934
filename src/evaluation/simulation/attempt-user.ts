import { compact } from "../../base/compact.ts";
import type { SimulatorAnswer } from "../../contract/ports/journal.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { Interaction, Scenario } from "../../contract/schemas/scenario.ts";
import type { SimulatorFailure, UserEnd, UserTurn } from "../../contract/schemas/acting/user-turn.ts";
import { hasHelperUsage } from "../helpers/helper-usage.ts";
import { userMessage } from "../conversation/conversation.ts";
import { askSimulator, type Simulator } from "./ask-simulator.ts";
import { goalFailure, messageFailure, type JudgedUserTurn } from "./simulator-failures.ts";

/** The user's next move. */
type UserStep =
  | { readonly turn: UserTurn; readonly end?: undefined }
  | { readonly end: UserEnd; readonly turn?: undefined };

/** The user of an attempt whose messages are not all scripted. */
export interface AttemptUser {
  /** The message of this turn or the end of the conversation, from the turns before it. Null when the budget is spent. */
  next(turn: number, replies: ReadonlyMap<number, StoredReply>, signal: AbortSignal): Promise<UserStep | null>;
}

interface AttemptUserOptions {
  readonly scenario: Scenario;
  /** Counted from 1. */
  readonly attempt: number;
  /** Null where every message is recorded. */
  readonly simulator: Simulator | null;
  /** Answers that were stored before an interruption, by turn. These are not asked for again. */
  readonly answerOf: (turn: number) => SimulatorAnswer | undefined;
  /** Stores an answer, awaited before it is used. */
  readonly record: (turn: number, answer: SimulatorAnswer) => Promise<void>;
}

/**
 * Plays the user: recorded messages, or an opening and the simulator's decisions. A message that breaks a rule is not sent; it ends
 * the conversation as a failure of the simulator.
 */
export function createAttemptUser({ scenario, attempt, simulator, answerOf, record }: AttemptUserOptions): AttemptUser {
  const { user, interactions } = scenario;
  if (!user) throw new TypeError(`The scenario ${scenario.id} has no user`);
  const scripted = scriptedTurns(scenario).length;
  const recorded = user.recorded?.[(attempt - 1) % user.recorded.length];

  function played(turn: number, replies: ReadonlyMap<number, StoredReply>): JudgedUserTurn[] {
    return interactions.slice(0, turn).flatMap((interaction, turn_index) => {
      const reply = replies.get(turn_index);
      if (!reply || reply.error) return [];
      const simulated = reply.user_turn?.source === "simulator";
      return [{ turn_index, message: userMessage(interaction, reply), simulated, reply: reply.agent_reply }];
    });
  }

  async function decide(turn: number, said: readonly JudgedUserTurn[], signal: AbortSignal): Promise<UserStep | null> {
    const known = answerOf(turn);
    if (!known && !simulator) throw new TypeError("A run with simulated users needs a simulator");
    const seen = said.map(({ message, reply }) => ({ message, reply: reply ?? "" }));
    const answer = known ?? (await askSimulator(simulator as Simulator, { user: user!, said: seen, signal }));
    if (!answer) return null;
    if (!known) await record(turn, answer);
    return toStep(turn, said, answer);
  }

  function toStep(turn: number, said: readonly JudgedUserTurn[], answer: SimulatorAnswer): UserStep {
    const { decision, failed = "", helper_usage, latency_ms } = answer;
    const spent = hasHelperUsage(helper_usage) ? { helper_usage } : {};
    if (!decision) {
      const failure: SimulatorFailure = { kind: "no_answer", reason: failed, turn_index: turn, found_by: "rule" };
      return { end: { ended: "failed", failure, ...spent } };
    }
    const { message, done, why } = decision;
    const about = compact({
      why: why || undefined,
      message: message || undefined,
      ...spent,
    });
    const newest: JudgedUserTurn = { turn_index: turn, message, simulated: true, reply: null };
    const wrong = message.trim() === "" ? null : messageFailure(user!, [...said, newest]);
    if (wrong) return { end: { ended: "failed", failure: wrong, ...about } };
    if (done) return { end: endOf("done", said, about) };
    return { turn: compact({ message, source: "simulator", why: why || undefined, ...spent, latency_ms }) };
  }

  function endOf(ended: "done" | "turns", said: readonly JudgedUserTurn[], about: Partial<UserEnd> = {}): UserEnd {
    const failure = goalFailure(user!, said);
    return compact({ ended, ...about, failure: failure ?? undefined });
  }

  return {
    async next(turn, replies, signal) {
      const place = turn - scripted;
      const last = replies.get(turn - 1);
      if (last?.error) return { end: { ended: "no_reply" } };
      if (recorded) {
        const message = recorded[place];
        return message === undefined ? { end: { ended: "recorded" } } : { turn: { message, source: "recorded" } };
      }
      const said = played(turn, replies);
      if (turn >= interactions.length) return { end: endOf("turns", said) };
      if (place === 0 && user.opening !== undefined) return { turn: { message: user.opening, source: "opening" } };
      return decide(turn, said, signal);
    },
  };
}

/** The turns of the script; those of a simulated user follow them. */
export function scriptedTurns({ interactions }: Pick<Scenario, "interactions">): readonly Interaction[] {
  return interactions.filter(({ simulated }) => !simulated);
}

/** Adds a place for every message that the simulated user may send. Scenarios without a user are returned as they are. */
export function withUserTurns(scenario: Scenario): Scenario {
  const { user, interactions } = scenario;
  if (!user || interactions.some(({ simulated }) => simulated)) return scenario;
  const taken = new Set(interactions.map(({ id }) => id));
  const turns = user.recorded ? Math.max(...user.recorded.map((messages) => messages.length)) : user.max_turns;
  const places = Array.from({ length: turns }, (_, place): Interaction => {
    let id = `user-${place + 1}`;
    while (taken.has(id)) id += "'";
    return {
      id,
      user_message: "",
      agent_reply: "",
      reference_reply: "",
      reference_metadata: {},
      generated_metadata: {},
      interaction_type: interactions.length + place === 0 ? "opening" : "follow_up",
      simulated: true,
    };
  });
  return { ...scenario, interactions: [...interactions, ...places] };
}

/** The scenario as its author wrote it. */
export function withoutUserTurns(scenario: Scenario): Scenario {
  return scenario.user ? { ...scenario, interactions: [...scriptedTurns(scenario)] } : scenario;
}
