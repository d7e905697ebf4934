import { compact } from "../../base/compact.ts";
import type { ConversationJudgement } from "../../contract/schemas/judging/judge.ts";
import type { AttemptWithInteractions, StoredInteraction } from "../../contract/ports/store.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { AttemptResult, Replay } from "../../contract/schemas/evaluation-response.ts";
import type { InteractionResult, StoredScores } from "../../contract/schemas/interaction-result.ts";
import { isFailure, passThreshold, turnOutcome } from "../../contract/schemas/outcome.ts";
import type { Interaction, Scenario } from "../../contract/schemas/scenario.ts";
import type { UserTurn } from "../../contract/schemas/acting/user-turn.ts";
import { scoringVersion, type Scores } from "../../contract/schemas/scores/score.ts";
import { hasToolRules } from "../../evaluation/outcomes/outcome.ts";
import { contextOf } from "../../evaluation/conversation/turn-context.ts";
import { averageTurns } from "../../evaluation/summary/score-averages.ts";
import { generatedReply, referenceReply, userMessage } from "../../evaluation/conversation/conversation.ts";
import { firstBadTurn, type FirstBadTurn } from "../../evaluation/summary/summarize-scenario.ts";
import { toPasses } from "../stored/passes.ts";

/** The public result of an attempt, and of its pass with reference history if the run has both. */
export interface AttemptResults {
  readonly attempt: AttemptResult;
  readonly reference: AttemptResult | null;
  /** The verdict on the conversation, with its usage. */
  readonly conversation: ConversationJudgement | undefined;
}

/** Joins a stored attempt with its scenario. */
export function toAttemptResults(
  stored: Pick<AttemptWithInteractions, "attempt" | "interactions">,
  { scenario, settings }: { scenario: Scenario; settings: RunSettings },
): AttemptResults {
  const threshold = passThreshold(settings);
  const passes = toPasses(stored.interactions, scenario.interactions.length);
  const first = toResults(passes.first, scenario);
  const second = toResults(passes.second, scenario);
  const bad = firstBadTurn(first, threshold);
  const conversation = passes.first.at(-1)?.scores?.conversation;
  const replay = bad && settings.replay_first_bad_turn ? toReplay(bad, { first, second, threshold }) : null;
  const attempt: AttemptResult = compact({
    attempt: stored.attempt,
    interactions: first,
    average_scores: { ...averageOf(first), ...conversation?.scores },
    unfinished: first.length < scenario.interactions.length && !conversation?.user ? true : undefined,
    first_bad_turn: bad,
    replay: replay ?? undefined,
    conversation: conversation && shownError(conversation),
    outcome: conversation?.outcome,
    user: conversation?.user,
  });
  const both = settings.history === "both" && second.length > 0;
  return {
    attempt,
    reference: both
      ? compact({
          attempt: stored.attempt,
          interactions: second,
          average_scores: averageOf(second),
          unfinished: second.length < scenario.interactions.length || undefined,
          first_bad_turn: firstBadTurn(second, threshold),
        })
      : null,
    conversation,
  };
}

function averageOf(interactions: readonly InteractionResult[]): Scores {
  return averageTurns(interactions);
}

function shownError({
  scores,
  score_reasons,
  judgements,
  kept,
}: ConversationJudgement): AttemptResult["conversation"] & {} {
  return compact({ scores, score_reasons, judgements, kept });
}

/** With history "both" the second pass contains every turn; only those from the bad one on belong to the replay. */
function toReplay(
  { turn_index, overall }: FirstBadTurn,
  {
    first,
    second,
    threshold,
  }: { first: readonly InteractionResult[]; second: readonly InteractionResult[]; threshold: number | undefined },
): Replay | null {
  const interactions = second.filter((turn) => turn.turn_index >= turn_index);
  // After rescoring, the first bad turn may be one that was not replayed.
  if (interactions[0]?.turn_index !== turn_index) return null;
  const outcomes = interactions.map((turn) => turnOutcome(turn, threshold));
  const isBad = (turn: InteractionResult): boolean => isFailure(turnOutcome(turn, threshold));
  const badBefore = first.filter((turn) => turn.turn_index >= turn_index && isBad(turn)).length;
  const badNow = interactions.filter(isBad).length;
  const repaired = badNow > 0 ? false : outcomes.includes("unscored") ? null : true;
  const turns = interactions.length === 1 ? "turn was" : "turns were";
  const before = `From turn ${turn_index + 1} on, ${badBefore} of ${interactions.length} ${turns} bad; with the reference replies before them`;
  const cause = overall === null ? "" : causeOf(first.slice(0, turn_index));
  const sentence =
    badNow === 0 ? `${before} none is${cause}.` : `${before} ${badNow} still ${badNow === 1 ? "is" : "are"}.`;
  return { from_turn: turn_index, interactions, average_scores: averageOf(interactions), repaired, sentence };
}

/** Explains a repaired replay by the turns before it; empty when there are none. */
function causeOf(before: readonly InteractionResult[]): string {
  if (before.length === 0) return "";
  const isSame = before.every((turn) => generatedReply(turn) === referenceReply(turn));
  return isSame
    ? ": the replies before it were those already, so that is chance"
    : ": the model's own earlier replies may be the cause, though one replay cannot rule out chance";
}

function toResults(stored: readonly StoredInteraction[], scenario: Scenario): InteractionResult[] {
  return stored.flatMap((turn) => {
    const interaction = scenario.interactions[turn.turn_index];
    return interaction ? [toInteractionResult(interaction, turn, scenario)] : [];
  });
}

function withoutMessage({ message: _message, ...rest }: UserTurn): InteractionResult["user_turn"] & {} {
  return rest;
}

const notScored = {
  generated_metadata: {},
  label_sources: {},
  scores: {},
  score_reasons: {},
  scoring_version: scoringVersion,
};

function toInteractionResult(
  interaction: Interaction,
  stored: StoredInteraction,
  { expect }: Pick<Scenario, "expect">,
): InteractionResult {
  const {
    agent_reply,
    error,
    usage,
    latency_ms,
    first_token_ms,
    finish_reason,
    model,
    cost,
    tool_calls = [],
    context,
    model_calls,
    user_turn,
    refused_calls,
    greeting,
    calls_seen,
    written_call,
    reused,
    trace,
  } = stored.reply;
  const { conversation: _, asked_in: __, ...scores }: StoredScores = stored.scores ?? notScored;
  return compact({
    ...interaction,
    context: context || interaction.context ? [...contextOf(interaction, { context })] : undefined,
    user_message: userMessage(interaction, stored.reply),
    turn_index: stored.turn_index,
    agent_reply,
    error,
    usage,
    latency_ms,
    first_token_ms,
    finish_reason,
    model,
    cost,
    tool_calls,
    // Where no calls are expected, it would only repeat what the protocol says.
    calls_seen:
      calls_seen && (interaction.reference_tool_calls || (expect && hasToolRules(expect))) ? calls_seen : undefined,
    written_call,
    model_calls,
    refused_calls,
    greeting,
    reused,
    trace,
    user_turn: user_turn && withoutMessage(user_turn),
    ...scores,
  });
}
