import type { ScenarioResult } from "../contract/evaluation-response.ts";
import type { LabelRule } from "../contract/label-rule.ts";
import type { Reliability } from "../contract/score-stats.ts";
import type { Scores } from "../contract/score.ts";
import { attemptOutcome } from "../contract/outcome.ts";
import { defaultThreshold } from "../contract/threshold.ts";
import { averageAttempts, averageInteractions } from "./average-scores.ts";
import { createBreakdown } from "./breakdown.ts";
import { createLabelTallies } from "./label-tallies.ts";
import { createScoreSeries } from "./score-series.ts";
import type { ScoredInteraction } from "./scored-interaction.ts";
import { reliability } from "./statistics/reliability.ts";

export type ScenarioFigures = Pick<
  ScenarioResult,
  "average_scores" | "score_stats" | "reliability" | "label_metrics" | "breakdown"
>;

export interface SummaryOptions {
  readonly threshold?: number | undefined;
  readonly tags?: readonly string[];
  readonly label_rules?: Readonly<Record<string, LabelRule>> | undefined;
  /** Names of the caller's checks, which are 0 or 1 by nature. */
  readonly checks?: ReadonlySet<string>;
}

export interface SummarizedAttempt {
  readonly interactions: readonly ScoredInteraction[];
  /** What was said of the conversation as a whole. */
  readonly conversation?: Scores | undefined;
  /** Some of its turns are missing: its turns count, and whether it would have passed is not known. */
  readonly unfinished?: boolean | undefined;
}

/** The figures of one scenario from its attempts. */
export function summarizeScenario(
  attempts: readonly SummarizedAttempt[],
  { threshold = defaultThreshold, tags = [], label_rules, checks }: SummaryOptions = {},
): ScenarioFigures {
  const breakdown = createBreakdown();
  const series = createScoreSeries("attempt", checks);
  const labels = createLabelTallies(label_rules);
  const averages = attempts.map(({ interactions, conversation }, attempt) => {
    for (const interaction of interactions) {
      series.note(interaction.scores);
      labels.add(interaction, attempt);
      breakdown.add(interaction, tags);
    }
    if (conversation) series.noteConversation(conversation);
    return { ...averageInteractions(interactions.map(({ scores }) => scores)), ...conversation };
  });
  return {
    average_scores: averageAttempts(averages),
    score_stats: series.finish(averages),
    reliability: reliabilityOf(
      averages.filter((_, attempt) => !attempts[attempt]?.unfinished),
      threshold,
    ),
    label_metrics: labels.finish(),
    breakdown: breakdown.finish(),
  };
}

/** Null when there is nothing to judge: no attempt has ended, or those that have got their replies and none has an `overall`. */
function reliabilityOf(averages: readonly Scores[], threshold: number): Reliability | null {
  if (averages.length === 0) return null;
  const outcomes = averages.map((average) => attemptOutcome(average, threshold));
  if (outcomes.includes("unscored") && averages.every((average) => average["overall"] === undefined)) return null;
  const counted = outcomes.filter((outcome) => outcome !== "unscored");
  const passed = counted.filter((outcome) => outcome === "passed");
  return reliability(counted.length, passed.length, threshold);
}
