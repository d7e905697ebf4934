import { z } from "zod";
import { callFigures, NotWorseBy, Undecided } from "./margins.ts";
import { Warning } from "../errors/problem.ts";

/** Limits of a run's spending, judging and labelling included. No call starts once a limit is reached. */
export const Budget = z
  .object({
    calls: z.int().min(1).optional(),
    tokens: z.int().min(1).optional(),
    money: z.number().positive().optional().describe("US dollars. Counts only calls with a known price."),
    seconds: z.number().positive().optional().describe("Counted from the start of the run."),
  })
  .meta({ id: "Budget" });
export type Budget = z.infer<typeof Budget>;

/** Requirements a run has to meet. A missing score fails, and so does a scenario without a finished attempt. */
export const Gate = z
  .object({
    scores: z.record(z.string(), z.number().min(0).max(1)).optional().describe("Minimum mean over the run, by score."),
    scenario_scores: z
      .record(z.string(), z.number().min(0).max(1))
      .optional()
      .describe(
        "Minimum mean of each scenario, by score. The mean over the run can hide a scenario that always fails.",
      ),
    max_failure_rate: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("Maximum share of turns without a reply, and maximum share of turns whose scoring failed. Default 0."),
    max_simulator_failures: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        "Maximum share of attempts whose simulated user failed. They are left out of all other figures; with more of them the run is undecided and does not pass. Default 0.2.",
      ),
    min_pass_rate: z.number().min(0).max(1).optional().describe("Minimum share of attempts that reach the threshold."),
    baseline: z.string().min(1).max(200).optional().describe("Id of the run that `not_worse_by` compares with."),
    not_worse_by: NotWorseBy.optional().describe(
      "Passes only if the run is shown not to be worse than `baseline` by this margin: a number for `overall`, or an object for several scores, `pass_rate`, `latency_ms` and `cost_per_turn`.",
    ),
    undecided: Undecided.optional().describe("What an undecided `not_worse_by` counts as. Default: `fail`."),
  })
  .superRefine(({ baseline, not_worse_by }, context) => {
    if (not_worse_by !== undefined && baseline === undefined)
      context.addIssue({
        code: "custom",
        path: ["baseline"],
        message: "must name the run that not_worse_by compares with",
      });
    if (baseline !== undefined && not_worse_by === undefined)
      context.addIssue({ code: "custom", path: ["not_worse_by"], message: "must give the margin for the baseline" });
  })
  .meta({ id: "Gate", dependentRequired: { baseline: ["not_worse_by"], not_worse_by: ["baseline"] } });
export type Gate = z.infer<typeof Gate>;

/** Gate checks whose `required` is a maximum; it is a minimum for all others. */
export const upperLimits: ReadonlySet<string> = new Set([
  "failure_rate",
  "unscored_rate",
  "simulator_failure_rate",
  ...Object.values(callFigures),
]);

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
        undecided: z
          .literal(true)
          .optional()
          .describe("Set when it does not pass because tool calls that the score needs could not be seen."),
        not_worse: z
          .enum(["not_worse", "worse", "undecided"])
          .optional()
          .describe("Verdict of `not_worse_by`; `actual` is then the end of the one-sided 95 % interval."),
        sentence: z.string().optional(),
      }),
    ),
  })
  .meta({ id: "GateResult" });
export type GateResult = z.infer<typeof GateResult>;

/** An expected value and its plausible range. */
export const Range = z
  .object({ low: z.number().min(0), expected: z.number().min(0), high: z.number().min(0) })
  .meta({ id: "Range" });
export type Range = z.infer<typeof Range>;

/** Estimated effort of a run, without calling a model. */
export const RunEstimate = z
  .object({
    calls: Range.describe("Calls of the model under test, the judge, the labeller and the simulator."),
    model_calls: Range,
    helper_calls: Range,
    simulator_calls: Range.optional().describe("Part of `helper_calls`: calls for simulated users, if there are any."),
    input_tokens: Range,
    output_tokens: Range,
    money: Range.nullable().describe("US dollars; null when the price of a model is unknown."),
    seconds: Range,
    based_on: z.string().describe("Source of the estimate: earlier runs of the model, or rough averages."),
    sentence: z.string(),
    within_budget: z
      .boolean()
      .nullable()
      .describe("True when the expected values fit the budget; null without a budget."),
    warnings: z.array(Warning).optional().describe("Warnings the run would have. Absent when there are none."),
  })
  .meta({ id: "RunEstimate" });
export type RunEstimate = z.infer<typeof RunEstimate>;
