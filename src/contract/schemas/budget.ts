import { z } from "zod";
import { Warning } from "./problem.ts";

/** What a run may spend, judging and labelling included. No call starts once a limit is reached. */
export const Budget = z
  .object({
    calls: z.int().min(1).optional(),
    tokens: z.int().min(1).optional(),
    money: z.number().positive().optional().describe("US dollars; counts calls whose price is known."),
    seconds: z.number().positive().optional().describe("From the run's start."),
  })
  .meta({ id: "Budget" });
export type Budget = z.infer<typeof Budget>;

/** What a run has to reach. A score that is missing does not pass, nor does a scenario of which no attempt was finished. */
export const Gate = z
  .object({
    scores: z.record(z.string(), z.number().min(0).max(1)).optional().describe("Lowest mean of the run, by score."),
    scenario_scores: z
      .record(z.string(), z.number().min(0).max(1))
      .optional()
      .describe("Lowest mean of every single scenario, by score: an average hides one that always fails."),
    max_failure_rate: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("Share of turns without a reply, and likewise of those whose scoring failed. Default 0."),
    min_pass_rate: z.number().min(0).max(1).optional().describe("Share of attempts that reach the threshold."),
  })
  .meta({ id: "Gate" });
export type Gate = z.infer<typeof Gate>;

/** Checks of a gate that ask for so much at most; all others ask for so much at least. */
export const upperLimits: ReadonlySet<string> = new Set(["failure_rate", "unscored_rate"]);

export const GateResult = z
  .object({
    passed: z.boolean(),
    checks: z.array(
      z.object({
        name: z.string(),
        scenario_id: z.string().optional(),
        required: z.number(),
        actual: z.number().nullable(),
        passed: z.boolean(),
      }),
    ),
  })
  .meta({ id: "GateResult" });
export type GateResult = z.infer<typeof GateResult>;

/** What to expect, and how far it may be off. */
export const Range = z
  .object({ low: z.number().min(0), expected: z.number().min(0), high: z.number().min(0) })
  .meta({ id: "Range" });
export type Range = z.infer<typeof Range>;

/** What a run would take, before its first call. */
export const RunEstimate = z
  .object({
    calls: Range.describe("Of the model under test, the judge and the labeller together."),
    model_calls: Range,
    helper_calls: Range,
    input_tokens: Range,
    output_tokens: Range,
    money: Range.nullable().describe("US dollars; null when no price is known for a model that would be called."),
    seconds: Range,
    based_on: z.string().describe("Earlier runs, or rules of thumb."),
    sentence: z.string(),
    within_budget: z.boolean().nullable().describe("Whether the expected figures fit the budget; null without one."),
    warnings: z.array(Warning).optional().describe("What the run would warn of; absent where there is nothing."),
  })
  .meta({ id: "RunEstimate" });
export type RunEstimate = z.infer<typeof RunEstimate>;
