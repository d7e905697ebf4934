import { z } from "zod";
import { Metadata } from "./metadata.ts";
import { Scenario, ScenarioInput } from "./scenario.ts";

export const Protocol = z.enum(["openai-chat", "agent"]).meta({ id: "Protocol" });
export type Protocol = z.infer<typeof Protocol>;

export const Parameters = z
  .object({
    temperature: z.number().min(0).max(10).optional(),
    top_p: z.number().min(0).max(1).optional(),
    max_tokens: z.int().min(1).optional(),
    seed: z.int().optional(),
    stop: z.union([z.string(), z.array(z.string())]).optional(),
    extra: z.record(z.string(), z.json()).optional().describe("Merged into the body sent to the model."),
  })
  .meta({ id: "Parameters" });
export type Parameters = z.infer<typeof Parameters>;

const options = {
  endpoint: z.string().min(1).max(2048).describe("Base URL (…/v1) or full URL of the model endpoint under test."),
  model_id: z.string().min(1).max(512),
  attempts: z.int().min(1).default(1).describe("How often each scenario is run, at most 100 unless the operator allows more."),
  system_prompt: z.string().optional(),
  parameters: Parameters.optional(),
  protocol: Protocol.default("openai-chat"),
  on_failure: z.enum(["continue", "stop"]).default("continue").describe("What follows a failed turn."),
  concurrency: z.int().min(1).max(1000).optional(),
  tags: z.array(z.string()).default([]),
  metadata: Metadata.default({}),
};

/** Body of POST /evaluate. */
export const EvaluationRequest = z
  .object({
    test_batch: z.union([ScenarioInput, z.array(ScenarioInput).min(1)]),
    test_name: z.string().optional().describe("Default: the id of the (first) scenario."),
    ...options,
  })
  .meta({ id: "EvaluationRequest" });
export type EvaluationRequest = z.infer<typeof EvaluationRequest>;

/** What a run is asked to do, with every default filled in: this is stored with the run. */
export const EvaluationPlan = z
  .object({ scenarios: z.array(Scenario), test_name: z.string(), ...options })
  .meta({ id: "EvaluationPlan" });
export type EvaluationPlan = z.infer<typeof EvaluationPlan>;
/** The plan without its scenarios, which are stored one by one. */
export type RunSettings = Omit<EvaluationPlan, "scenarios">;
