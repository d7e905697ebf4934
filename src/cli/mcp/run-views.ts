import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { CliError } from "../cli-error.ts";

/** The turns that did worst, those without a reply first. */
export function failuresOf({ run_id, results }: EvaluationResponse, limit: number): object {
  const turns = results.scenarios.flatMap(({ scenario_id, attempts }) =>
    attempts.flatMap(({ attempt, interactions }) =>
      interactions.map((turn) => ({
        scenario_id,
        attempt,
        turn,
        worth: turn.error ? -1 : (turn.scores["overall"] ?? 2),
      })),
    ),
  );
  const worst = turns
    .filter(({ worth }) => worth < 1)
    .toSorted((left, right) => left.worth - right.worth)
    .slice(0, limit);
  return {
    run_id,
    turns: worst.map(({ scenario_id, attempt, turn }) => ({
      scenario_id,
      attempt,
      interaction_id: turn.id,
      user_message: turn.user_message,
      reference_reply: turn.reference_reply,
      agent_reply: turn.agent_reply,
      error: turn.error,
      scores: turn.scores,
      score_reasons: turn.score_reasons,
    })),
  };
}

export function transcriptOf({ run_id, results }: EvaluationResponse, scenarioId: string): object {
  const scenario = results.scenarios.find(({ scenario_id }) => scenario_id === scenarioId);
  if (!scenario) throw new CliError(`the run ${run_id} has no scenario "${scenarioId}"`);
  return { run_id, ...scenario };
}
