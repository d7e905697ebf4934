import type { RunSettings } from "../contract/evaluation-request.ts";
import type { ConversationJudgement } from "../contract/judge.ts";
import type { StoredScores } from "../contract/interaction-result.ts";
import type { Interaction, Scenario } from "../contract/scenario.ts";
import type { AttemptWithInteractions, RescoredTurn, StoredInteraction } from "../contract/store.ts";
import { generatedReply } from "../evaluation/conversation.ts";
import type { JudgedTurn } from "../evaluation/judges/judge-prompt.ts";
import { judgeConversation } from "../evaluation/judges/judge-replies.ts";
import { referenceReplies } from "../evaluation/reference-replies.ts";
import { scoreInteraction } from "../evaluation/score-interaction.ts";
import type { Scoring, TurnJudge } from "../evaluation/scoring.ts";
import { firstHistory } from "./passes.ts";

export interface RescoreAttemptOptions {
  readonly settings: RunSettings;
  readonly scenario: Scenario;
  readonly scoring: Scoring;
  readonly conversationJudge: TurnJudge | null;
  /** Asks judge, labeller and embedder again. Default: what they said is kept, and no model is called. */
  readonly askModels?: boolean;
  readonly signal?: AbortSignal;
}

/** New scores for every stored turn of an attempt, the verdict on the whole conversation with the last turn of the first pass. */
export async function rescoreAttempt(
  { id, interactions }: AttemptWithInteractions,
  options: RescoreAttemptOptions,
): Promise<RescoredTurn[]> {
  const { scenario, signal } = options;
  const rescored: RescoredTurn[] = [];
  for (const stored of interactions) {
    signal?.throwIfAborted();
    const scores = await rescoreTurn(stored, interactions, options);
    const conversation =
      stored.turn_index === scenario.interactions.length - 1
        ? await conversationOf(stored, interactions, options)
        : undefined;
    rescored.push({
      attempt_id: id,
      turn_index: stored.turn_index,
      scores: { ...scores, ...(conversation && { conversation }) },
    });
  }
  return rescored;
}

function rescoreTurn(
  { turn_index, reply, scores }: StoredInteraction,
  all: readonly StoredInteraction[],
  { scenario, scoring, settings, askModels, signal }: RescoreAttemptOptions,
): Promise<StoredScores> {
  const turns = scenario.interactions.length;
  const interaction = scenario.interactions[turn_index % turns];
  if (!interaction) throw new RangeError(`The scenario has no turn ${turn_index}`);
  const taught = turn_index >= turns || firstHistory(settings) === "reference";
  return scoreInteraction({
    interaction,
    reply,
    scoring,
    before: scenario.interactions
      .slice(0, turn_index % turns)
      .map((earlier, turn) => toJudged(earlier, taught ? (referenceReplies(earlier)[0] ?? null) : replyAt(all, turn))),
    earlier: askModels ? undefined : (scores ?? nothingSaid),
    ...(signal && { signal }),
  });
}

/** Asked for again together with everything else models say, else kept and marked as such. */
async function conversationOf(
  { scores }: StoredInteraction,
  all: readonly StoredInteraction[],
  { scenario, conversationJudge, askModels, signal = never }: RescoreAttemptOptions,
): Promise<ConversationJudgement | undefined> {
  if (!askModels || !conversationJudge) return scores?.conversation && { ...scores.conversation, kept: true };
  const { judge, questions } = conversationJudge;
  const turns = scenario.interactions.map((interaction, turn) => ({
    ...toJudged(interaction, replyAt(all, turn)),
    references: referenceReplies(interaction),
  }));
  return judgeConversation(judge, { questions, turns, signal });
}

function toJudged({ user_message }: Interaction, reply: string | null): JudgedTurn {
  return { user_message, reply };
}

function replyAt(all: readonly StoredInteraction[], turn: number): string | null {
  return generatedReply(all.find(({ turn_index }) => turn_index === turn)?.reply);
}

const never = new AbortController().signal;

/** A reply that was never scored: no model said anything about it, and none is asked. */
const nothingSaid: StoredScores = {
  generated_metadata: {},
  label_sources: {},
  scores: {},
  score_reasons: {},
  scoring_version: "",
};
