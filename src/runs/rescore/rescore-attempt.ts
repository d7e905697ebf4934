import { compact } from "../../base/compact.ts";
import { worldEntries, type JournalPart } from "../../contract/ports/journal.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { ConversationJudgement } from "../../contract/schemas/judging/judge.ts";
import type { StoredScores } from "../../contract/schemas/interaction-result.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import type { UserEnd } from "../../contract/schemas/acting/user-turn.ts";
import { scoringVersion, type Scores } from "../../contract/schemas/scores/score.ts";
import type { AttemptWithInteractions, RescoredTurn, StoredInteraction } from "../../contract/ports/store.ts";
import { judgeConversation } from "../../evaluation/judges/judge-replies.ts";
import type { Judge } from "../../evaluation/judges/ask-judge.ts";
import { judgeOutcome, withOutcome, withoutOutcome } from "../../evaluation/outcomes/judge-outcome.ts";
import { judgedSetting, scoreInteraction } from "../../evaluation/score-interaction.ts";
import type { Scoring, TurnJudge } from "../../evaluation/scoring.ts";
import { spoiledByUser, withoutScores, withUserEnd } from "../../evaluation/simulation/conclude-user.ts";
import type { PreparedWorld } from "../../evaluation/world/world.ts";
import { outcomeStates } from "../execute/run-worlds.ts";
import { createTranscript, type AttemptTranscript } from "../stored/transcript.ts";

export interface RescoreAttemptOptions {
  readonly settings: RunSettings;
  readonly scenario: Scenario;
  readonly scoring: Scoring;
  readonly conversationJudge: TurnJudge | null;
  readonly outcomeJudge?: Judge | null;
  /** The world of the scenario; null without one. */
  readonly world?: PreparedWorld | null;
  /** The stored steps of the attempt's turns. */
  readonly journal?: readonly JournalPart[];
  /** True: asks judge, labeller and embedder again. Default: their earlier verdicts are kept and no model is called. */
  readonly askModels?: boolean | undefined;
  /** Identifies this rescoring when models are asked: turns already marked with it are not asked again. */
  readonly askedIn?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface RescoredAttempt {
  readonly turns: readonly RescoredTurn[];
  readonly average_scores: Scores;
}

/**
 * New scores for every stored turn of an attempt. The verdict on the conversation is stored with the last turn of the first
 * pass.
 */
export async function rescoreAttempt(
  { id, interactions }: AttemptWithInteractions,
  options: RescoreAttemptOptions,
): Promise<RescoredAttempt> {
  const { scenario, settings, askedIn, signal } = options;
  const transcript = createTranscript(scenario, settings);
  for (const { turn_index, reply } of interactions) transcript.replies.set(turn_index, reply);
  for (const stored of interactions) {
    signal?.throwIfAborted();
    if (stored.scores && isAsked(stored.scores, askedIn)) {
      transcript.scored.set(stored.turn_index, stored.scores);
      continue;
    }
    const scores = await rescoreTurn(stored, transcript, options);
    transcript.scored.set(stored.turn_index, scores);
    const end = stored.scores?.conversation?.user;
    const isLast = end !== undefined || stored.turn_index === scenario.interactions.length - 1;
    const conversation = isLast ? await conversationOf(stored, transcript, options) : undefined;
    transcript.scored.set(
      stored.turn_index,
      compact({
        ...scores,
        ...(conversation && { conversation: end ? afterUserEnd(conversation, end, stored) : conversation }),
        ...(end && !conversation && { conversation: afterUserEnd(undefined, end, stored) }),
        asked_in: askedIn,
      }),
    );
  }
  const isSpoiled = transcript.scored.values().some(({ conversation }) => conversation?.user?.failure);
  if (isSpoiled) for (const [turn, scores] of transcript.scored) transcript.scored.set(turn, withoutScores(scores));
  return {
    turns: [...transcript.scored].map(([turn_index, scores]) => ({ attempt_id: id, turn_index, scores })),
    average_scores: transcript.averages(),
  };
}

/** The user's conduct was judged when the attempt ran, and stays as it was. */
function afterUserEnd(
  judged: ConversationJudgement | undefined,
  end: UserEnd,
  { scores }: StoredInteraction,
): ConversationJudgement {
  if (end.failure) return spoiledByUser({ ...end, failure: end.failure }, scores?.conversation?.helper_usage);
  return withUserEnd(judged, end);
}

/** True when an interrupted run of this rescoring already has every verdict on the turn. */
function isAsked(stored: StoredScores, askedIn: string | undefined): boolean {
  const { asked_in, scoring_version, failed_scores = [], conversation } = stored;
  if (askedIn === undefined || asked_in !== askedIn || scoring_version !== scoringVersion) return false;
  const hasVerdicts = !conversation || Object.keys(conversation.scores).length > 0;
  return failed_scores.length === 0 && hasVerdicts && conversation?.outcome?.value !== null;
}

function rescoreTurn(
  { turn_index, reply, scores }: StoredInteraction,
  transcript: AttemptTranscript,
  { scenario, scoring, askModels, signal }: RescoreAttemptOptions,
): Promise<StoredScores> {
  return scoreInteraction({
    interaction: transcript.interactionAt(turn_index),
    reply,
    scenario,
    scoring,
    before: transcript.before(turn_index),
    systemPrompt: transcript.systemPrompt,
    earlier: askModels ? undefined : (scores ?? noEarlierScores),
    signal,
  });
}

/** The conversation as a whole: the judge's verdict, and the outcome, which is computed again from the stored replies. */
async function conversationOf(
  stored: StoredInteraction,
  transcript: AttemptTranscript,
  options: RescoreAttemptOptions,
): Promise<ConversationJudgement | undefined> {
  const { scenario, settings, scoring, askModels, outcomeJudge = null, signal = never } = options;
  const { world = null, journal = [] } = options;
  const judged = await storedVerdict(stored, transcript, options);
  if (!scenario.expect) return judged;
  const outcome = await judgeOutcome({
    expect: scenario.expect,
    replies: transcript.firstReplies(),
    turns: transcript.conversation(),
    setting: judgedSetting({ scenario, scoring, systemPrompt: transcript.systemPrompt }),
    scored: transcript.scoredTurns(),
    judge: askModels ? outcomeJudge : null,
    earlier: stored.scores?.conversation,
    ...(await outcomeStates({
      world,
      scenario,
      settings,
      entriesOf: (turn) => worldEntries(journal.flatMap((part) => (part.turn_index === turn ? part.entries : []))),
      signal,
    })),
    matching: { ...scoring.tool_matching, ...scenario.tool_matching },
    tools: scenario.world ?? scoring.world,
    probes: scoring.probes,
    runCode: scoring.code,
    signal,
  });
  return withOutcome(judged, outcome);
}

/** Asks the conversation judge again, or keeps its earlier verdict. Without a judge the verdict is dropped. */
async function storedVerdict(
  { scores }: StoredInteraction,
  transcript: AttemptTranscript,
  { scenario, scoring, conversationJudge, askModels, signal = never }: RescoreAttemptOptions,
): Promise<ConversationJudgement | undefined> {
  if (!conversationJudge) return undefined;
  if (!askModels) return scores?.conversation && { ...withoutOutcome(scores.conversation), kept: true };
  const { judge, questions } = conversationJudge;
  const setting = judgedSetting({ scenario, scoring, systemPrompt: transcript.systemPrompt });
  return judgeConversation(judge, { questions, turns: transcript.conversation(), setting, signal });
}

const never = new AbortController().signal;

/** A reply without earlier scores: no model is asked about it. */
const noEarlierScores: StoredScores = {
  generated_metadata: {},
  label_sources: {},
  scores: {},
  score_reasons: {},
  scoring_version: "",
};
