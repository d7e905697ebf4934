import type { StoredInteraction } from "../contract/ports/store.ts";
import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { StoredReply, StoredScores } from "../contract/schemas/interaction-result.ts";
import { defaultThreshold, isFailure, turnOutcome } from "../contract/schemas/outcome.ts";
import type { Interaction, Scenario } from "../contract/schemas/scenario.ts";
import type { Scores } from "../contract/schemas/score.ts";
import { averageScores } from "../evaluation/summary/score-averages.ts";
import { generatedReply, referenceReply } from "../evaluation/conversation.ts";
import type { JudgedTurn } from "../evaluation/judges/judge-prompt.ts";
import { referenceReplies } from "../evaluation/conversation.ts";
import { firstHistory } from "./passes.ts";

/** The turns of an attempt that is carried out or scored again, as far as they have come. Indexes are the stored ones (`passes.ts`). */
export interface HeldTurns {
  readonly replies: Map<number, StoredReply>;
  readonly scored: Map<number, StoredScores>;
  /** What the turn asks; the same in both passes. */
  interactionAt(index: number): Interaction;
  /** The replies of the pass that begins here, by the turn of the scenario. */
  passFrom(from: number): ReadonlyMap<number, StoredReply>;
  /** The conversation as the model saw it before this turn. */
  before(index: number): JudgedTurn[];
  /** The whole conversation of the first pass, with what was expected. */
  conversation(): JudgedTurn[];
  /** The turns of a replay: from the first bad one to the end. */
  toReplay(): number[];
  averages(): Scores;
  /** As the store has them. */
  stored(attemptId: string): StoredInteraction[];
}

export function holdTurns({ interactions }: Scenario, settings: Pick<RunSettings, "history" | "threshold">): HeldTurns {
  const turns = interactions.length;
  const replies: HeldTurns["replies"] = new Map();
  const scored: HeldTurns["scored"] = new Map();

  function isBad(turn: number): boolean {
    const error = replies.get(turn)?.error ?? null;
    const threshold = settings.threshold ?? defaultThreshold;
    return isFailure(turnOutcome({ scores: scored.get(turn)?.scores ?? {}, error }, threshold));
  }

  return {
    replies,
    scored,
    interactionAt(index) {
      const interaction = interactions[index % turns];
      if (!interaction) throw new RangeError(`The scenario has no turn ${index % turns}`);
      return interaction;
    },
    passFrom(from) {
      const own = [...replies].filter(([index]) => index >= from && index < from + turns);
      return new Map(own.map(([index, reply]) => [index - from, reply]));
    },
    before(index) {
      const taught = index >= turns || firstHistory(settings) === "reference";
      return interactions.slice(0, index % turns).map((interaction, turn) => ({
        user_message: interaction.user_message,
        reply: taught ? referenceReply(interaction) : generatedReply(replies.get(turn)),
      }));
    },
    conversation: () =>
      interactions.map((interaction, turn) => ({
        user_message: interaction.user_message,
        reply: generatedReply(replies.get(turn)),
        references: referenceReplies(interaction),
      })),
    toReplay() {
      const all = [...interactions.keys()];
      const bad = all.findIndex(isBad);
      return bad === -1 ? [] : all.slice(bad);
    },
    averages() {
      // Turn by turn, as results add them up: in another order the last digit may differ, and with it what passes.
      const known = [...interactions.keys()].map((turn) => scored.get(turn));
      const first = known.flatMap((turn) => (turn ? [turn.scores] : []));
      return { ...averageScores(first), ...scored.get(turns - 1)?.conversation?.scores };
    },
    stored: (attempt_id) =>
      [...replies]
        .toSorted(([left], [right]) => left - right)
        .map(([turn_index, reply]) => ({ attempt_id, turn_index, reply, scores: scored.get(turn_index) ?? null })),
  };
}
