import type { ScenarioResult } from "../contract/evaluation-response.ts";
import type { Reliability } from "../contract/score-stats.ts";
import type { Scores } from "../contract/score.ts";
import { averageAttempts, averageInteractions } from "./average-scores.ts";
import { createLabelTallies } from "./label-tallies.ts";
import { createScoreSeries } from "./score-series.ts";
import type { ScoredInteraction } from "./scored-interaction.ts";
import { defaultThreshold, reliability } from "./statistics/reliability.ts";

export type ScenarioFigures = Pick<ScenarioResult, "average_scores" | "score_stats" | "reliability" | "label_metrics">;

/** The figures of one scenario from the interactions of each of its attempts. */
export function summarizeScenario(attempts: readonly (readonly ScoredInteraction[])[]): ScenarioFigures {
  const series = createScoreSeries("attempt");
  const labels = createLabelTallies();
  const averages = attempts.map((interactions) => {
    for (const interaction of interactions) {
      series.note(interaction.scores);
      labels.add(interaction);
    }
    return averageInteractions(interactions.map(({ scores }) => scores));
  });
  return {
    average_scores: averageAttempts(averages),
    score_stats: series.finish(averages),
    reliability: reliabilityOf(averages),
    label_metrics: labels.finish(),
  };
}

/**
 * An attempt passes when every turn got a reply and `overall` reaches the threshold. Attempts with nothing to judge do not count,
 * but those whose turns all failed do: they did not pass. Null when no attempt has an `overall`.
 */
function reliabilityOf(averages: readonly Scores[]): Reliability | null {
  if (averages.every((average) => average["overall"] === undefined)) return null;
  const counted = averages.filter((average) => average["overall"] !== undefined || average["success"] === 0);
  const passed = counted.filter((average) => (average["overall"] ?? 0) >= defaultThreshold && average["success"] === 1);
  return reliability(counted.length, passed.length);
}
