import { z } from "zod";
import { RunRanking } from "./comparison.ts";
import { RunState } from "./run.ts";
import { SequenceVerdictName } from "./sequence.ts";

/** One variant of an experiment. */
const ExperimentVariant = z
  .object({
    name: z.string(),
    run_id: z.string().describe("Its newest run."),
    model_id: z.string(),
    factors: z.record(z.string(), z.string()).optional().describe("With `vary`: the level of each setting."),
    state: RunState,
    mean: z.number().nullable().describe("Mean of the score over the scenarios that have it in this run."),
    passing: z.int().min(0).nullable().describe("Scenarios of which every attempt passed; null before the end."),
    cost: z.number().min(0).nullable().describe("US dollars; null when a price is unknown."),
    cost_per_solved: z
      .number()
      .min(0)
      .nullable()
      .describe("US dollars of the run for each attempt that passed; null without one, or when a price is unknown."),
    replies: z.int().min(0),
    reused: z.int().min(0).describe("Replies that were taken from earlier runs."),
    oldest_reused: z.iso.datetime().nullable().describe("The start of the oldest run that replies were taken from."),
    dropped: z
      .literal(true)
      .optional()
      .describe("Set when the run stopped early because another variant was shown to be better."),
  })
  .meta({ id: "ExperimentVariant" });
export type ExperimentVariant = z.infer<typeof ExperimentVariant>;

/** What one variant did in one scenario. */
const ExperimentCell = z
  .object({
    score: z.number().nullable().describe("Mean of the score over its attempts and turns."),
    passed: z.int().min(0).describe("Attempts that passed."),
    attempts: z.int().min(0).describe("Attempts that have ended with a turn."),
    reply: z.string().nullable().describe("The last reply of the first attempt, shortened; null without one."),
    reused: z.iso.datetime().optional().describe("Set when the reply was taken from an earlier run: its start."),
  })
  .meta({ id: "ExperimentCell" });
export type ExperimentCell = z.infer<typeof ExperimentCell>;

const ExperimentRow = z
  .object({
    scenario_id: z.string(),
    message: z.string().describe("The last message of the user that is known before the run, shortened."),
    spread: z.number().nullable().describe("Largest minus smallest score."),
    cells: z
      .array(ExperimentCell.nullable())
      .describe("In the order of the variants; null where one has no such scenario."),
  })
  .meta({ id: "ExperimentRow" });
export type ExperimentRow = z.infer<typeof ExperimentRow>;

/** The effect of one level of a setting, averaged over all combinations of the other settings. */
const MainEffect = z
  .object({
    setting: z.string(),
    level: z.string(),
    against: z.string().describe("The first level of the setting."),
    effect: z.number().describe("Mean difference over scenarios."),
    ci_lower: z.number().nullable().describe("95 % interval, corrected like `p_adjusted`."),
    ci_upper: z.number().nullable(),
    p_adjusted: z.number().nullable().describe("Corrected (Holm) for the number of effects."),
    adjusted_for: z.int().min(0).describe("Number of effects that the correction covers."),
    scenarios: z.int().min(0),
    sentence: z.string(),
  })
  .meta({ id: "MainEffect" });
export type MainEffect = z.infer<typeof MainEffect>;

/** Two variants that are compared until it is decided. */
const ExperimentPair = z
  .object({
    baseline: z.string().describe("Name of a variant."),
    candidate: z.string(),
    verdict: SequenceVerdictName,
    scenarios: z.int().min(0),
    effect: z.number().nullable(),
    lower: z
      .number()
      .nullable()
      .describe("Lower end of the confidence sequence, right at every moment for all pairs at once."),
    upper: z.number().nullable(),
    sentence: z.string(),
  })
  .meta({ id: "ExperimentPair" });
export type ExperimentPair = z.infer<typeof ExperimentPair>;

/** Body of GET /experiments/{experiment_id}: variants over the same scenarios, side by side. */
export const Experiment = z
  .object({
    experiment_id: z.string(),
    test_name: z.string(),
    state: z.enum(["running", "completed", "cancelled", "failed"]).describe("Of all runs together."),
    score: z.string().describe("The score that the figures are about."),
    sentence: z.string(),
    best: z.string().nullable().describe("The variant that is shown to be better than every other; null without one."),
    variants: z.array(ExperimentVariant).describe("In the order they were added."),
    ranking: RunRanking.nullable().describe(
      "All pairs of variants, corrected by Holm's method. Null while a run is unfinished, with one variant, and where variants were compared until it was decided.",
    ),
    pairs: z
      .array(ExperimentPair)
      .optional()
      .describe("Set where the variants are compared until it is decided: every comparison that is made."),
    effects: z.array(MainEffect).describe("With `vary`: what each level does, over all combinations."),
    rows: z.array(ExperimentRow).describe("The scenarios, those with the largest spread first; at most `limit`."),
    scenarios: z.int().min(0).describe("Number of scenarios, also those that are not listed."),
  })
  .meta({ id: "Experiment" });
export type Experiment = z.infer<typeof Experiment>;

/** Query of GET /experiments/{experiment_id}. */
export const ExperimentQuery = z
  .object({
    score: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Default: `overall` when every run has it, otherwise `success`."),
    limit: z.coerce.number().int().min(0).max(1_000).default(500).describe("Maximum number of rows."),
  })
  .meta({ id: "ExperimentQuery" });
