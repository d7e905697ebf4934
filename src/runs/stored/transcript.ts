import { compact } from "../../base/compact.ts";
import type { StoredInteraction } from "../../contract/ports/store.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { StoredReply, StoredScores } from "../../contract/schemas/interaction-result.ts";
import { isFailure, passThreshold, toStoredAverages, turnOutcome } from "../../contract/schemas/outcome.ts";
import type { Interaction, Scenario } from "../../contract/schemas/scenario.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import { averageTurns } from "../../evaluation/summary/score-averages.ts";
import {
  generatedReply,
  referenceReply,
  userMessage,
  referenceReplies,
} from "../../evaluation/conversation/conversation.ts";
import { contextOf } from "../../evaluation/conversation/turn-context.ts";
import type { CheckedTurn } from "../../evaluation/tools/required-checks.ts";
import type { JudgedTurn } from "../../evaluation/judges/judge-material.ts";
import { firstHistory } from "./passes.ts";

/** The turns of an attempt that is executed or rescored, as far as they are known. Indexes are the stored ones (`passes.ts`). */
export interface AttemptTranscript {
  readonly replies: Map<number, StoredReply>;
  readonly scored: Map<number, StoredScores>;
  /** That of the scenario, or of the run. */
  readonly systemPrompt: string | undefined;
  /** The interaction of a turn; the same in both passes. */
  interactionAt(index: number): Interaction;
  /** The replies of the pass that starts at this index, by turn of the scenario. */
  passFrom(from: number): ReadonlyMap<number, StoredReply>;
  /** The conversation that the model saw before this turn. */
  before(index: number): JudgedTurn[];
  /** The replies of the first pass, in the order of the turns. */
  firstReplies(): StoredReply[];
  /** The conversation of the first pass, with references and tool calls. */
  conversation(): JudgedTurn[];
  /** The turns of the first pass with their scores. */
  scoredTurns(): CheckedTurn[];
  /** The turns of a replay: from the first bad one to the end. */
  toReplay(): number[];
  /** As they are stored with the attempt. */
  averages(): Scores;
  /** The turns as stored. */
  stored(attemptId: string): StoredInteraction[];
}

export function createTranscript(
  { interactions, system_prompt }: Pick<Scenario, "interactions" | "system_prompt">,
  settings: Pick<RunSettings, "history" | "threshold" | "weights" | "scorers" | "system_prompt">,
): AttemptTranscript {
  const turns = interactions.length;
  const replies: AttemptTranscript["replies"] = new Map();
  const scored: AttemptTranscript["scored"] = new Map();

  function isBad(turn: number): boolean {
    const error = replies.get(turn)?.error ?? null;
    const { scores = {}, stated } = scored.get(turn) ?? {};
    return isFailure(turnOutcome(compact({ scores, stated, error }), passThreshold(settings)));
  }

  const messageAt = (interaction: Interaction, turn: number): string => userMessage(interaction, replies.get(turn));
  /** The turns of the first pass: a simulated user may end the conversation before the last. */
  const played = (): [number, Interaction][] =>
    [...interactions.entries()].filter(([turn, { simulated }]) => !simulated || replies.has(turn));

  return {
    replies,
    scored,
    systemPrompt: system_prompt ?? settings.system_prompt,
    interactionAt(index) {
      const interaction = interactions[index % turns];
      if (!interaction) throw new RangeError(`The scenario has no turn ${index % turns}`);
      return interaction.simulated ? { ...interaction, user_message: messageAt(interaction, index) } : interaction;
    },
    passFrom(from) {
      const own = [...replies].filter(([index]) => index >= from && index < from + turns);
      return new Map(own.map(([index, reply]) => [index - from, reply]));
    },
    before(index) {
      const taught = index >= turns || firstHistory(settings) === "reference";
      return interactions.slice(0, index % turns).map((interaction, turn) => ({
        user_message: messageAt(interaction, turn),
        reply: taught ? referenceReply(interaction) : generatedReply(replies.get(turn)),
        ...seenOf(interaction, taught ? undefined : replies.get(turn)),
      }));
    },
    firstReplies: () => [...interactions.keys()].flatMap((turn) => replies.get(turn) ?? []),
    conversation: () =>
      played().map(([turn, interaction]) => ({
        user_message: messageAt(interaction, turn),
        reply: generatedReply(replies.get(turn)),
        references: referenceReplies(interaction),
        ...seenOf(interaction, replies.get(turn)),
      })),
    scoredTurns: () =>
      played().map(([turn, interaction]) => ({
        interaction,
        scores: scored.get(turn),
        scorers: settings.scorers ?? [],
      })),
    toReplay() {
      const all = [...interactions.keys()];
      const bad = all.findIndex(isBad);
      return bad === -1 ? [] : all.slice(bad);
    },
    averages() {
      // In the order of the turns, as in results: another order may change the last digit and so the outcome.
      const known = [...interactions.keys()].map((turn) => scored.get(turn));
      const first = known.filter((turn) => turn !== undefined);
      const conversation = first.findLast((turn) => turn.conversation)?.conversation;
      const averages = { ...averageTurns(first), ...conversation?.scores };
      return toStoredAverages(averages, { interactions: first, conversation });
    },
    stored: (attempt_id) =>
      [...replies]
        .toSorted(([left], [right]) => left - right)
        .map(([turn_index, reply]) => ({ attempt_id, turn_index, reply, scores: scored.get(turn_index) ?? null })),
  };
}

/** What an agent did and retrieved in a turn. With reference history it is not known. */
function seenOf(interaction: Interaction, reply: StoredReply | undefined): Pick<JudgedTurn, "tool_calls" | "context"> {
  const context = reply && !reply.error ? contextOf(interaction, reply) : [];
  return compact({
    tool_calls: reply?.tool_calls?.length ? reply.tool_calls : undefined,
    context: context.length > 0 ? context : undefined,
  });
}
