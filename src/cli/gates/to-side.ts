import type { EvaluationResponse } from "../../contract/evaluation-response.ts";
import { createRunTally } from "../../evaluation/comparison/run-tally.ts";
import type { ComparedSide } from "../../runs/compare-sides.ts";
import { createEmbedderBaselines } from "../../runs/embedder-baselines.ts";

/** Results, made ready to be compared: the first so many attempts of each scenario. */
export function toSide({ results, state, summary, history, measures }: EvaluationResponse, most: number): ComparedSide {
  const tally = createRunTally();
  const embedders = createEmbedderBaselines();
  for (const { scenario_id, attempts } of results.scenarios) {
    for (const { attempt, interactions, conversation } of attempts) {
      if (attempt > most) continue;
      for (const interaction of interactions) {
        const { scores, scoring_version, semantic } = interaction;
        const said = interaction === interactions.at(-1) ? conversation : null;
        if (semantic) embedders.add(semantic);
        tally.add({ scenario_id, interaction, scores, scoring_version, conversation: said });
      }
    }
  }
  return { state, rescored: summary.rescored, history, measures, embedders, tally };
}
