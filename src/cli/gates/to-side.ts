import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { createFailedReplies, type FailedReplies } from "../../evaluation/comparison/run-tally.ts";
import { createRunTally } from "../../evaluation/comparison/run-tally.ts";
import type { ComparedSide } from "../../runs/compare-sides.ts";
import { createEmbedderBaselines } from "../../runs/embedder-baselines.ts";
import type { TallyOptions } from "../../runs/tally-run.ts";

/** Results, made ready to be compared. */
export function toSide(
  { results, state, summary, history, measures }: EvaluationResponse,
  { attempts: most, failed }: TallyOptions,
): ComparedSide {
  const tally = createRunTally({ failed });
  const embedders = createEmbedderBaselines();
  for (const { scenario_id, attempts } of results.scenarios) {
    for (const { attempt, interactions, conversation } of attempts) {
      if (attempt > most) continue;
      for (const interaction of interactions) {
        const { scores, scoring_version, semantic } = interaction;
        const said = interaction === interactions.at(-1) ? conversation : null;
        if (semantic) embedders.add(semantic);
        tally.add({ scenario_id, interaction, attempt, scores, scoring_version, conversation: said });
      }
    }
  }
  return { state, rescored: summary.rescored, history, measures, embedders, tally };
}

/** What any of these runs failed to reply to. */
export function failedIn(responses: readonly EvaluationResponse[]): FailedReplies {
  const failed = createFailedReplies();
  for (const { scenario_id, attempts } of responses.flatMap(({ results }) => results.scenarios))
    for (const { attempt, interactions } of attempts)
      for (const { id, scores } of interactions) failed.add({ scenario_id, interaction_id: id, attempt, scores });
  return failed;
}
