import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { ConversationJudgement } from "../contract/schemas/judge.ts";
import type { StoredScores } from "../contract/schemas/interaction-result.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { scoringVersion, type Scores } from "../contract/schemas/score.ts";
import type { AttemptWithInteractions, RescoredTurn, StoredInteraction } from "../contract/ports/store.ts";
import { judgeConversation } from "../evaluation/judges/judge-replies.ts";
import { scoreInteraction } from "../evaluation/score-interaction.ts";
import type { Scoring, TurnJudge } from "../evaluation/scoring.ts";
import { holdTurns, type HeldTurns } from "./held-turns.ts";

export interface RescoreAttemptOptions {
  readonly settings: RunSettings;
  readonly scenario: Scenario;
  readonly scoring: Scoring;
  readonly conversationJudge: TurnJudge | null;
  /** Asks judge, labeller and embedder again. Default: what they said is kept, and no model is called. */
  readonly askModels?: boolean | undefined;
  /** Names this scoring where models are asked: what they have said in it already is not asked for again. */
  readonly askedIn?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface RescoredAttempt {
  readonly turns: readonly RescoredTurn[];
  readonly average_scores: Scores;
}

/** New scores for every stored turn of an attempt, the verdict on the whole conversation with the last turn of the first pass. */
export async function rescoreAttempt(
  { id, interactions }: AttemptWithInteractions,
  options: RescoreAttemptOptions,
): Promise<RescoredAttempt> {
  const { scenario, settings, askedIn, signal } = options;
  const held = holdTurns(scenario, settings);
  for (const { turn_index, reply } of interactions) held.replies.set(turn_index, reply);
  for (const stored of interactions) {
    signal?.throwIfAborted();
    if (stored.scores && isAsked(stored.scores, askedIn)) {
      held.scored.set(stored.turn_index, stored.scores);
      continue;
    }
    const scores = await rescoreTurn(stored, held, options);
    const isLast = stored.turn_index === scenario.interactions.length - 1;
    const conversation = isLast ? await conversationOf(stored, held, options) : undefined;
    held.scored.set(stored.turn_index, {
      ...scores,
      ...(conversation && { conversation }),
      ...(askedIn !== undefined && { asked_in: askedIn }),
    });
  }
  return {
    turns: [...held.scored].map(([turn_index, scores]) => ({ attempt_id: id, turn_index, scores })),
    average_scores: held.averages(),
  };
}

/** Whether all that models have to say of a turn was said when this scoring was begun before, and broken off. */
function isAsked(stored: StoredScores, askedIn: string | undefined): boolean {
  const { asked_in, scoring_version, failed_scores = [], conversation } = stored;
  if (askedIn === undefined || asked_in !== askedIn || scoring_version !== scoringVersion) return false;
  return failed_scores.length === 0 && (!conversation || Object.keys(conversation.scores).length > 0);
}

function rescoreTurn(
  { turn_index, reply, scores }: StoredInteraction,
  held: HeldTurns,
  { scoring, askModels, signal }: RescoreAttemptOptions,
): Promise<StoredScores> {
  return scoreInteraction({
    interaction: held.interactionAt(turn_index),
    reply,
    scoring,
    before: held.before(turn_index),
    earlier: askModels ? undefined : (scores ?? nothingSaid),
    ...(signal && { signal }),
  });
}

/** Asked for again together with everything else models say, else kept and marked as such. Gone with the judge who said it. */
async function conversationOf(
  { scores }: StoredInteraction,
  held: HeldTurns,
  { conversationJudge, askModels, signal = never }: RescoreAttemptOptions,
): Promise<ConversationJudgement | undefined> {
  if (!conversationJudge) return undefined;
  if (!askModels) return scores?.conversation && { ...scores.conversation, kept: true };
  const { judge, questions } = conversationJudge;
  return judgeConversation(judge, { questions, turns: held.conversation(), signal });
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
