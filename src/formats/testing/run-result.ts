import type { AttemptResult, EvaluationResponse, ScenarioResult } from "../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../contract/schemas/interaction-result.ts";
import { noUsage } from "../../contract/schemas/shared/usage.ts";

/** A turn of a result; without `overall` it has nothing to compare with. */
export function interactionResult(turn: Partial<InteractionResult> & { overall?: number } = {}): InteractionResult {
  const { overall, ...fields } = turn;
  return {
    id: "i1",
    user_message: "When do you open?",
    agent_reply: "At seven.",
    reference_reply: "At seven.",
    interaction_type: "opening",
    reference_metadata: {},
    generated_metadata: {},
    turn_index: 0,
    error: null,
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    latency_ms: 120,
    first_token_ms: null,
    finish_reason: "stop",
    model: "m",
    tool_calls: [],
    label_sources: {},
    scores: { success: fields.error ? 0 : 1, ...(overall !== undefined && { overall }) },
    score_reasons: {},
    scoring_version: "1",
    ...fields,
  };
}

/** A turn without a usable reply. */
export function failedInteraction(turn: Partial<InteractionResult> = {}): InteractionResult {
  const error = {
    code: "upstream_timeout",
    detail: "No answer in 30 s",
    upstream_status: null,
    tries: 3,
    retryable: true,
  } as const;
  return interactionResult({ agent_reply: "Request failed", error, ...turn });
}

export function scenarioResult(id: string, attempts: readonly (readonly InteractionResult[])[]): ScenarioResult {
  const results = attempts.map((interactions, index): AttemptResult => ({
    attempt: index + 1,
    interactions: interactions.map((turn, turn_index) => ({ ...turn, turn_index })),
    average_scores: averages(interactions),
  }));
  const overall = mean(results.flatMap(({ average_scores }) => average_scores["overall"] ?? []));
  return {
    scenario_id: id,
    description: "",
    attempts: results,
    threshold: 0.8,
    average_scores: {
      success: mean(results.map(({ average_scores }) => average_scores["success"] ?? 0)) ?? 0,
      ...(overall !== undefined && { overall }),
    },
    score_stats:
      overall === undefined || attempts.length < 2
        ? {}
        : {
            overall: {
              n: 2,
              n_missing: 0,
              mean: overall,
              min: 0,
              sd: 0.1,
              stderr: 0.05,
              ci_lower: overall - 0.1,
              ci_upper: overall + 0.1,
              method: "t",
            },
          },
    reliability: { threshold: 0.8, attempts: attempts.length, passed: 0, pass_at_k: [0.5, 1], pass_hat_k: [0.5, 0] },
    label_metrics: {},
  };
}

export function runResult(scenarios: ScenarioResult[], fields: Partial<EvaluationResponse> = {}): EvaluationResponse {
  return {
    message: "Completed",
    results: { scenarios },
    run_id: "run-1",
    test_name: "bakery",
    endpoint: "http://127.0.0.1:9000/v1",
    model_id: "demo/scripted",
    state: "completed",
    demo: false,
    scoring_version: "1",
    summary: {
      average_scores: { success: 1, overall: 0.9 },
      score_stats: {},
      label_metrics: {},
      interactions: 4,
      failed: 1,
    },
    usage: noUsage,
    timing: { started_at: null, finished_at: null, duration_ms: 1 },
    warnings: [],
    ...fields,
  };
}

const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;

function averages(interactions: readonly InteractionResult[]): Record<string, number> {
  const overall = mean(interactions.flatMap(({ scores }) => scores["overall"] ?? []));
  return {
    success: mean(interactions.map(({ scores }) => scores["success"] ?? 0)) ?? 0,
    ...(overall !== undefined && { overall }),
  };
}
