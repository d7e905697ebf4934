import { z } from "zod";
import { Warning } from "./warning.ts";

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
