import type { AttemptResult } from "../contract/evaluation-response.ts";
import type { InteractionResult } from "../contract/interaction-result.ts";
import type { Interaction, Scenario } from "../contract/scenario.ts";
import { scoringVersion } from "../contract/score.ts";
import type { AttemptWithInteractions, StoredInteraction } from "../contract/store.ts";
import { averageInteractions } from "../evaluation/average-scores.ts";

/** Joins what was stored of an attempt with the scenario it followed. */
export function toAttemptResult(attempt: AttemptWithInteractions, scenario: Scenario): AttemptResult {
  const interactions = attempt.interactions.flatMap((stored) => {
    const interaction = scenario.interactions[stored.turn_index];
    return interaction ? [toInteractionResult(interaction, stored)] : [];
  });
  return {
    attempt: attempt.attempt,
    interactions,
    average_scores: averageInteractions(interactions.map(({ scores }) => scores)),
  };
}

const notScored = {
  generated_metadata: {},
  label_sources: {},
  scores: {},
  score_reasons: {},
  scoring_version: scoringVersion,
};

function toInteractionResult(interaction: Interaction, stored: StoredInteraction): InteractionResult {
  const { agent_reply, error, usage, latency_ms, first_token_ms, finish_reason, model } = stored.reply;
  return {
    ...interaction,
    turn_index: stored.turn_index,
    agent_reply,
    error,
    usage,
    latency_ms,
    first_token_ms,
    finish_reason,
    model,
    ...(stored.scores ?? notScored),
  };
}
