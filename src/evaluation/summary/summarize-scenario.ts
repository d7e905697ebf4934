import type { LabelRule } from "../../contract/schemas/evaluation-request.ts";
import type { AttemptResult, ScenarioResult } from "../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../contract/schemas/interaction-result.ts";
import { attemptOutcome, defaultThreshold, isFailure, turnOutcome } from "../../contract/schemas/outcome.ts";
import { simulatedUserScore } from "../../contract/schemas/score-names.ts";
import type { Reliability, Scores } from "../../contract/schemas/score.ts";
import { reliability } from "../statistics/reliability.ts";
import { createBreakdown } from "./breakdown.ts";
import { createLabelTallies } from "./label-metrics.ts";
import { averageScores, averageTurns, type ScoredInteraction } from "./score-averages.ts";
import { createScoreSeries } from "./score-series.ts";

export type ScenarioFigures = Pick<
  ScenarioResult,
  "average_scores" | "score_stats" | "reliability" | "label_metrics" | "breakdown"
>;

interface SummaryOptions {
  readonly threshold?: number | undefined;
  readonly tags?: readonly string[];
  readonly label_rules?: Readonly<Record<string, LabelRule>> | undefined;
  /** Names of the caller's checks, which are always 0 or 1. */
  readonly checks?: ReadonlySet<string>;
}

export interface SummarizedAttempt {
  readonly interactions: readonly ScoredInteraction[];
  /** Scores of the conversation as a whole. */
  readonly conversation?: Scores | undefined;
  /** Some turns are missing: the others count, but the attempt neither passed nor failed. */
  readonly unfinished?: boolean | undefined;
}

/** Summarizes a scenario attempt by attempt, without keeping their texts. */
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
  const finished: Scores[] = [];
  return {
    add({ interactions, conversation, unfinished }) {
      if (conversation?.[simulatedUserScore] === 0) {
        series.noteConversation(conversation);
        averages.push(conversation);
        return;
      }
      for (const interaction of interactions) {
        series.note(interaction.scores);
        labels.add(interaction, averages.length);
        breakdown.add(interaction, tags);
      }
      if (conversation) series.noteConversation(conversation);
      const average = { ...averageTurns(interactions), ...conversation };
      averages.push(average);
      if (!unfinished) finished.push(average);
    },
    finish: () => ({
      average_scores: averageScores(averages),
      score_stats: series.finish(averages),
      reliability: reliabilityOf(finished, threshold),
      label_metrics: labels.finish(),
      breakdown: breakdown.finish(),
    }),
  };
}

export function summarizeScenario(
  attempts: readonly SummarizedAttempt[],
  options: SummaryOptions = {},
): ScenarioFigures {
  const summary = createScenarioSummary(options);
  for (const attempt of attempts) summary.add(attempt);
  return summary.finish();
}

/** Null when no attempt has finished, or when attempts are unscored and none has an `overall` or `outcome`. */
function reliabilityOf(averages: readonly Scores[], threshold: number): Reliability | null {
  if (averages.length === 0) return null;
  const outcomes = averages.map((average) => attemptOutcome(average, threshold));
  if (outcomes.includes("unscored") && averages.every(isUnmeasured)) return null;
  const counted = outcomes.filter((outcome) => outcome !== "unscored");
  const passed = counted.filter((outcome) => outcome === "passed");
  return reliability(counted.length, passed.length, threshold);
}

function isUnmeasured({ overall, outcome }: Scores): boolean {
  return overall === undefined && outcome === undefined;
}

type Turn = Pick<InteractionResult, "id" | "turn_index" | "scores" | "error">;
export type FirstBadTurn = NonNullable<AttemptResult["first_bad_turn"]>;

/** The first turn of an attempt without a reply, or with `overall` below the threshold. */
export function firstBadTurn(turns: readonly Turn[], threshold: number): FirstBadTurn | null {
  const bad = turns.find((turn) => isFailure(turnOutcome(turn, threshold)));
  return bad ? { turn_index: bad.turn_index, id: bad.id, overall: bad.scores["overall"] ?? null } : null;
}
