import type { LabelRule } from "../../scoring/scorers/label-rule.ts";
import type { AttemptResult, ScenarioResult } from "../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../contract/schemas/interaction-result.ts";
import {
  attemptOutcome,
  isFailure,
  standingOfTurns,
  turnOutcome,
  type Outcome,
} from "../../contract/schemas/outcome.ts";
import type { ConversationJudgement } from "../../contract/schemas/judging/judge.ts";
import { simulatedUserScore } from "../../contract/schemas/scores/score-names.ts";
import type { Reliability, Scores } from "../../contract/schemas/scores/score.ts";
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
  /** Minimum `overall` of an attempt that passes. Default: what the scenario states decides. */
  readonly threshold?: number | undefined;
  readonly tags?: readonly string[];
  readonly label_rules?: Readonly<Record<string, LabelRule>> | undefined;
  /** Names of the caller's checks, which are always 0 or 1. */
  readonly checks?: ReadonlySet<string>;
}

export interface SummarizedAttempt {
  readonly interactions: readonly ScoredInteraction[];
  /** The judgement of the conversation as a whole. */
  readonly conversation?: Pick<ConversationJudgement, "scores" | "score_reasons"> | undefined;
  /** Some turns are missing: the others count, but the attempt neither passed nor failed. */
  readonly unfinished?: boolean | undefined;
}

/** Summarizes a scenario attempt by attempt, without keeping their texts. */
interface ScenarioSummary {
  add(attempt: SummarizedAttempt): void;
  finish(): ScenarioFigures;
}

export function createScenarioSummary({
  threshold,
  tags = [],
  label_rules,
  checks,
}: SummaryOptions = {}): ScenarioSummary {
  const breakdown = createBreakdown();
  const series = createScoreSeries("attempt", checks);
  const labels = createLabelTallies(label_rules);
  const averages: Scores[] = [];
  const outcomes: Outcome[] = [];
  return {
    add({ interactions, conversation, unfinished }) {
      if (conversation?.scores[simulatedUserScore] === 0) {
        series.noteConversation(conversation.scores);
        averages.push(conversation.scores);
        return;
      }
      for (const interaction of interactions) {
        series.note(interaction.scores);
        labels.add(interaction, averages.length);
        breakdown.add(interaction, tags);
      }
      if (conversation) series.noteConversation(conversation.scores);
      const average = { ...averageTurns(interactions), ...conversation?.scores };
      averages.push(average);
      if (unfinished) return;
      outcomes.push(attemptOutcome(average, { turns: standingOfTurns({ interactions, conversation }), threshold }));
    },
    finish: () => ({
      average_scores: averageScores(averages),
      score_stats: series.finish(averages),
      reliability: reliabilityOf(outcomes, threshold),
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

/** Null when no attempt has finished, or when the others had no reply and nothing decides about these. */
function reliabilityOf(outcomes: readonly Outcome[], threshold: number | undefined): Reliability | null {
  const counted = outcomes.filter((outcome) => outcome !== "unscored");
  if (counted.length < outcomes.length && counted.every((outcome) => outcome === "errored")) return null;
  const passed = counted.filter((outcome) => outcome === "passed");
  return reliability(counted.length, passed.length, threshold);
}

type SummarizedTurn = Pick<InteractionResult, "id" | "turn_index" | "scores" | "error" | "stated">;
export type FirstBadTurn = NonNullable<AttemptResult["first_bad_turn"]>;

/** The first turn of an attempt without a reply, or that fails. */
export function firstBadTurn(turns: readonly SummarizedTurn[], threshold: number | undefined): FirstBadTurn | null {
  const bad = turns.find((turn) => isFailure(turnOutcome(turn, threshold)));
  return bad ? { turn_index: bad.turn_index, id: bad.id, overall: bad.scores["overall"] ?? null } : null;
}
