import type { ErrorCode } from "../contract/errors.ts";
import type { RunSummary } from "../contract/run-summary.ts";
import type { Scores } from "../contract/score.ts";
import { addUsage, noUsage } from "../contract/usage.ts";
import { averageInteractions, averageScenarios } from "./average-scores.ts";
import { createLabelTallies } from "./label-tallies.ts";
import { createScoreSeries } from "./score-series.ts";
import type { ScoredInteraction } from "./scored-interaction.ts";
import { statusMessage } from "./status-message.ts";

/** Takes a run attempt by attempt, in any order. Its memory grows with scenarios and scores, not with interactions. */
export interface RunFigures {
  /** `scenario` tells scenarios apart: an index or an id. */
  add(attempt: { scenario: number | string; interactions: readonly ScoredInteraction[] }): void;
  finish(): { summary: RunSummary; message: string };
}

interface Sum {
  sum: number;
  count: number;
}

/** Figures of a whole run: the mean of its scenarios' averages, with intervals over scenarios. */
export function createRunFigures(): RunFigures {
  const scenarios = new Map<number | string, Map<string, Sum>>();
  const series = createScoreSeries("scenario");
  const labels = createLabelTallies();
  const failures = new Map<ErrorCode, number>();
  let usage = noUsage;
  let interactions = 0;

  function addAverages(scenario: number | string, averages: Scores): void {
    const sums = scenarios.get(scenario) ?? new Map<string, Sum>();
    scenarios.set(scenario, sums);
    for (const [name, value] of Object.entries(averages)) {
      const entry = sums.get(name) ?? { sum: 0, count: 0 };
      sums.set(name, { sum: entry.sum + value, count: entry.count + 1 });
    }
  }

  return {
    add(attempt) {
      for (const interaction of attempt.interactions) {
        interactions++;
        series.note(interaction.scores);
        labels.add(interaction);
        usage = addUsage(usage, interaction.usage);
        if (interaction.error) failures.set(interaction.error.code, (failures.get(interaction.error.code) ?? 0) + 1);
      }
      addAverages(attempt.scenario, averageInteractions(attempt.interactions.map(({ scores }) => scores)));
    },
    finish() {
      const averages = [...scenarios.values()].map((sums) =>
        Object.fromEntries([...sums].map(([name, { sum, count }]) => [name, sum / count])),
      );
      const score_stats = series.finish(averages);
      const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
      const summary = {
        average_scores: averageScenarios(averages),
        score_stats,
        label_metrics: labels.finish(),
        usage,
        interactions,
        failed,
      };
      return { summary, message: statusMessage({ interactions, failures }) };
    },
  };
}
