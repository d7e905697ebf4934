import type { LabelRule } from "../contract/schemas/evaluation-request.ts";
import type { ScenarioResult } from "../contract/schemas/evaluation-response.ts";
import { attemptOutcome, defaultThreshold } from "../contract/schemas/outcome.ts";
import type { Reliability, Scores } from "../contract/schemas/score.ts";
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

interface SummaryOptions {
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

/** Takes a scenario attempt by attempt, and keeps none of their texts. */
interface ScenarioSummary {
  add(attempt: SummarizedAttempt): void;
  finish(): ScenarioFigures;
}

export function createScenarioSummary({
  threshold = defaultThreshold,
  tags = [],
  label_rules,
  checks,
}: SummaryOptions = {}): ScenarioSummary {
  const breakdown = createBreakdown();
  const series = createScoreSeries("attempt", checks);
  const labels = createLabelTallies(label_rules);
  const averages: Scores[] = [];
  const whole: Scores[] = [];
  return {
    add({ interactions, conversation, unfinished }) {
      for (const interaction of interactions) {
        series.note(interaction.scores);
        labels.add(interaction, averages.length);
        breakdown.add(interaction, tags);
      }
      if (conversation) series.noteConversation(conversation);
      const average = { ...averageInteractions(interactions.map(({ scores }) => scores)), ...conversation };
      averages.push(average);
      if (!unfinished) whole.push(average);
    },
    finish: () => ({
      average_scores: averageAttempts(averages),
      score_stats: series.finish(averages),
      reliability: reliabilityOf(whole, threshold),
      label_metrics: labels.finish(),
      breakdown: breakdown.finish(),
    }),
  };
}

/** The figures of one scenario from its attempts. */
export function summarizeScenario(
  attempts: readonly SummarizedAttempt[],
  options: SummaryOptions = {},
): ScenarioFigures {
  const summary = createScenarioSummary(options);
  for (const attempt of attempts) summary.add(attempt);
  return summary.finish();
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
