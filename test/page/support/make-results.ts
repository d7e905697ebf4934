import type {
  AttemptResult,
  EvaluationResponse,
  ScenarioResult,
} from "../../../src/contract/schemas/evaluation-response.ts";
import type { InteractionError, InteractionResult } from "../../../src/contract/schemas/interaction-result.ts";
import type { Metadata } from "../../../src/contract/schemas/scenario.ts";
import type { ScoreStats } from "../../../src/contract/schemas/scores/score.ts";
import { countVerdicts } from "../../../web/run/grid/scenario-rows.ts";

/** One turn as a test describes it: a score, or an error. */
export interface TurnSketch {
  readonly id?: string;
  readonly user?: string;
  readonly reference?: string;
  readonly reply?: string;
  readonly overall?: number;
  readonly error?: InteractionError;
  readonly expected?: Metadata;
  readonly generated?: Metadata;
}

interface ScenarioSketch {
  readonly id: string;
  readonly description?: string;
  readonly attempts: readonly (readonly TurnSketch[])[];
}

function makeTurn(sketch: TurnSketch, index: number): InteractionResult {
  const overall = sketch.overall ?? 1;
  const expected = sketch.expected ?? {};
  const generated = sketch.generated ?? {};
  return {
    id: sketch.id ?? `turn-${index + 1}`,
    user_message: sketch.user ?? "I want a refund for order 1234.",
    agent_reply: sketch.error ? "Request failed" : (sketch.reply ?? "Your refund is on its way."),
    reference_reply: sketch.reference ?? "Your refund is on its way.",
    interaction_type: index === 0 ? "opening" : "follow_up",
    reference_metadata: expected,
    generated_metadata: generated,
    turn_index: index,
    error: sketch.error ?? null,
    usage: sketch.error ? null : { input_tokens: 31, output_tokens: 12, total_tokens: 43 },
    latency_ms: 212,
    first_token_ms: null,
    finish_reason: sketch.error ? null : "stop",
    model: "demo/flaky",
    tool_calls: [],
    label_sources: Object.fromEntries(
      Object.keys(generated).map((key) => [key, { source: "local" as const, method: "lexicon", confidence: 0.83 }]),
    ),
    scores: sketch.error
      ? { success: 0 }
      : {
          success: 1,
          token_f1: overall,
          rouge_l: overall,
          overall,
          ...Object.fromEntries(
            Object.keys(expected).map((key) => [`metadata.${key}`, expected[key] === generated[key] ? 1 : 0]),
          ),
        },
    score_reasons: sketch.error ? {} : { token_f1: "7 of 9 words are shared", overall: "mean of token_f1 and rouge_l" },
    scoring_version: "1",
  };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function averages(list: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = new Set(list.flatMap((scores) => Object.keys(scores)));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      mean(list.flatMap((scores) => (scores[name] === undefined ? [] : [scores[name]]))),
    ]),
  );
}

function stats(values: readonly number[], missing = 0): ScoreStats {
  const center = mean(values);
  const sd = values.length < 2 ? null : Math.sqrt(mean(values.map((value) => (value - center) ** 2)));
  return {
    n: values.length,
    n_missing: missing,
    mean: center,
    min: Math.min(...values),
    sd,
    stderr: sd,
    ci_lower: sd === null ? null : Math.max(0, center - sd),
    ci_upper: sd === null ? null : Math.min(1, center + sd),
    method: sd === null ? "n < 2" : "t over attempts",
  };
}

export function makeScenario({ id, description = "", attempts }: ScenarioSketch): ScenarioResult {
  const results = attempts.map((turns, index): AttemptResult => {
    const interactions = turns.map(makeTurn);
    return {
      attempt: index + 1,
      interactions,
      average_scores: averages(interactions.map((turn) => turn.scores)),
    };
  });
  const overall = results.flatMap((attempt) => attempt.average_scores["overall"] ?? []);
  return {
    scenario_id: id,
    description,
    attempts: results,
    average_scores: averages(results.map((attempt) => attempt.average_scores)),
    score_stats: overall.length > 0 ? { overall: stats(overall) } : {},
    threshold: 0.8,
    reliability: {
      threshold: 0.8,
      attempts: results.length,
      passed: overall.filter((value) => value >= 0.8).length,
      pass_at_k: [],
      pass_hat_k: [],
    },
    label_metrics: {},
  };
}

interface RunSketch {
  readonly id: string;
  readonly name: string;
  readonly scenarios: readonly ScenarioSketch[];
  readonly model?: string;
  readonly createdAt?: string;
}

export function makeResults({
  id,
  name,
  scenarios,
  model = "demo/flaky",
  createdAt = "2026-11-14T09:00:01.000Z",
}: RunSketch): EvaluationResponse {
  const results = scenarios.map(makeScenario);
  const turns = results.flatMap((scenario) => scenario.attempts.flatMap((attempt) => attempt.interactions));
  const names = new Set(turns.flatMap((turn) => Object.keys(turn.scores)));
  const valuesOf = (score: string): number[] => turns.flatMap((turn) => turn.scores[score] ?? []);
  const failed = turns.filter((turn) => turn.error).length;
  const run: EvaluationResponse = {
    message:
      failed === 0 ? "Evaluation completed" : `Evaluation completed; ${failed} of ${turns.length} turns got no reply`,
    results: { scenarios: results },
    run_id: id,
    test_name: name,
    endpoint: "http://127.0.0.1:8000",
    model_id: model,
    state: "completed",
    demo: true,
    scoring_version: "1",
    summary: {
      average_scores: averages(turns.map((turn) => turn.scores)),
      score_stats: Object.fromEntries(
        [...names].map((score) => [score, stats(valuesOf(score), turns.length - valuesOf(score).length)]),
      ),
      label_metrics: {
        intent: {
          n: 8,
          accuracy: 0.75,
          macro_f1: 0.71,
          kappa: 0.62,
          confusion: { refund: { refund: 4, complaint: 1 }, complaint: { complaint: 2, refund: 1 } },
        },
      },
      interactions: turns.length,
      failed,
    },
    usage: { input_tokens: 31 * turns.length, output_tokens: 12 * turns.length, total_tokens: 43 * turns.length },
    timing: {
      started_at: createdAt,
      finished_at: new Date(Date.parse(createdAt) + 72_000).toISOString(),
      duration_ms: 72_000,
    },
    warnings: [],
  };
  const { scenarios: verdicts, always_failing } = countVerdicts(run);
  const marked = always_failing.length > 0 && { always_failing };
  return { ...run, summary: { ...run.summary, scenarios: verdicts, ...marked } };
}
