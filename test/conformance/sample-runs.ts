import { randomUUIDv7 } from "node:crypto";
import type { RunSettings } from "../../src/contract/schemas/evaluation-request.ts";
import type { StoredReply, StoredScores } from "../../src/contract/schemas/interaction-result.ts";
import type { JudgeAudit } from "../../src/contract/schemas/judge-audit.ts";
import type { RunSummary } from "../../src/contract/schemas/run.ts";
import type { Interaction, Scenario } from "../../src/contract/schemas/scenario.ts";
import type { NewRun } from "../../src/contract/ports/store.ts";
import { noUsage } from "../../src/contract/schemas/shared/usage.ts";

interface SampleRun extends Partial<Omit<NewRun, "settings" | "scenarios">> {
  readonly settings?: Partial<RunSettings>;
  readonly scenarios?: number | readonly Scenario[];
  readonly turns?: number;
}

/** A run to store: one scenario with one turn, tried once, by default. */
export function sampleRun({ settings, scenarios = 1, turns = 1, ...rest }: SampleRun = {}): NewRun {
  return {
    id: randomUUIDv7(),
    settings: {
      endpoint: "http://127.0.0.1:9/v1",
      model_id: "demo/scripted",
      attempts: 1,
      protocol: "openai-chat",
      on_failure: "continue",
      tags: [],
      metadata: {},
      test_name: "sample",
      ...settings,
    },
    scenarios:
      typeof scenarios === "number"
        ? Array.from({ length: scenarios }, (_, index) => sampleScenario(`scenario-${index}`, turns))
        : scenarios,
    warnings: [],
    demo: false,
    created_at: 1_700_000_000_000,
    ...rest,
  };
}

export function sampleScenario(id: string, turns = 1): Scenario {
  const interactions = Array.from({ length: turns }, (_, index) => sampleInteraction({ id: `turn-${index}` }));
  return { id, description: "", tags: [], interactions };
}

export function sampleInteraction(fields: Partial<Interaction> = {}): Interaction {
  return {
    id: "turn",
    user_message: "Hello",
    agent_reply: "",
    reference_reply: "Hi",
    interaction_type: "opening",
    reference_metadata: {},
    generated_metadata: {},
    ...fields,
  };
}

export function sampleReply(fields: Partial<StoredReply> = {}): StoredReply {
  return {
    agent_reply: "Hi",
    error: null,
    usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
    latency_ms: 12.5,
    first_token_ms: null,
    tries: 1,
    finish_reason: "stop",
    model: "demo/scripted",
    system_fingerprint: null,
    endpoint_metadata: null,
    ...fields,
  };
}

export const failedReply: StoredReply = sampleReply({
  agent_reply: "Request failed",
  error: { code: "upstream_timeout", detail: "No answer", upstream_status: null, tries: 4, retryable: true },
});

export function sampleScores(fields: Partial<StoredScores> = {}): StoredScores {
  return {
    generated_metadata: { intent: "greeting" },
    label_sources: { intent: { source: "local", confidence: 0.5 } },
    scores: { success: 1, exact_match: 0.25 },
    score_reasons: {},
    scoring_version: "1",
    ...fields,
  };
}

export const sampleSummary: RunSummary = {
  average_scores: { success: 1 },
  score_stats: {},
  label_metrics: {},
  usage: noUsage,
  interactions: 1,
  failed: 0,
};

export const sampleAudit: JudgeAudit = {
  fingerprint: "judge-1",
  passed: true,
  items: 1,
  judged: 1,
  kappa: 1,
  ci_lower: 1,
  ci_upper: 1,
  agreement: 1,
  base_rate: 0.5,
  confusion: { yes: { yes: 1 } },
  self_consistency: 1,
  position_flip_rate: null,
  length_bias: { correlation: null, pairs: 0, longer_wins: null },
  notes: [],
};
