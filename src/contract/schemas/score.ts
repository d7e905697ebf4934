import { z } from "zod";

/** How sure a mean score is. Interval ends are null, never equal, when there is too little to say. */
export const ScoreStats = z
  .object({
    n: z.int().min(0).describe("Values the mean was taken over."),
    n_missing: z
      .int()
      .min(0)
      .describe("Interactions that have no value for this score; conversations, for what is said of those."),
    mean: z.number().nullable(),
    min: z.number().nullable(),
    sd: z.number().nullable(),
    stderr: z.number().nullable(),
    ci_lower: z.number().nullable(),
    ci_upper: z.number().nullable(),
    method: z.string().describe("How the interval was made, or why there is none."),
  })
  .meta({ id: "ScoreStats" });
export type ScoreStats = z.infer<typeof ScoreStats>;

/** Chance that at least one (pass@k) and that every one (pass^k) of k attempts passes. */
export const Reliability = z
  .object({
    threshold: z.number(),
    attempts: z.int().min(0),
    passed: z.int().min(0),
    pass_at_k: z.array(z.number()),
    pass_hat_k: z.array(z.number()),
  })
  .meta({ id: "Reliability" });
export type Reliability = z.infer<typeof Reliability>;

/** How well the generated labels of one key agree with the expected ones. */
export const LabelMetrics = z
  .object({
    n: z.int().min(0).describe("Replies that were labelled; 0 where none could be."),
    accuracy: z.number().nullable(),
    macro_f1: z.number().nullable(),
    kappa: z.number().nullable(),
    kappa_ci_lower: z.number().nullable().optional(),
    kappa_ci_upper: z.number().nullable().optional(),
    kappa_method: z.string().optional().describe("How kappa's interval was made, or why there is none."),
    confusion: z.record(z.string(), z.record(z.string(), z.int())).describe("expected → generated → count"),
  })
  .meta({ id: "LabelMetrics" });
export type LabelMetrics = z.infer<typeof LabelMetrics>;

/** Mean scores of a part of the interactions, such as those of one type. */
export const Slice = z
  .object({
    n: z
      .int()
      .min(0)
      .describe("Turns. Each counts once in these means; in `average_scores` of the run each scenario does."),
    average_scores: z.record(z.string(), z.number()),
  })
  .meta({ id: "Slice" });
export type Slice = z.infer<typeof Slice>;

/** Scores by kind of turn, by place in the conversation and by tag of the scenario. */
export const Breakdown = z
  .object({
    interaction_type: z.record(z.string(), Slice),
    turn_index: z.array(Slice),
    tag: z.record(z.string(), Slice),
  })
  .meta({ id: "Breakdown" });
export type Breakdown = z.infer<typeof Breakdown>;

/** How much lower a score is with the model's own replies as history than with the reference replies. */
export const DriftGap = z
  .object({
    generated: z.number().nullable(),
    reference: z.number().nullable(),
    gap: z.number().nullable().describe("reference - generated: what the model's own earlier replies cost."),
    n: z
      .int()
      .min(0)
      .describe(
        "Turns that have the score in both modes. Each counts once in these means; in `average_scores` each scenario does.",
      ),
    ci_lower: z
      .number()
      .nullable()
      .optional()
      .describe(
        "Lower end of the gap's 95 % interval, clustered by scenario (within a scenario, by attempt); null with too little to say. Over all turns, and by turn for `overall`.",
      ),
    ci_upper: z.number().nullable().optional().describe("Upper end of the same interval."),
  })
  .meta({ id: "DriftGap" });
export type DriftGap = z.infer<typeof DriftGap>;

/** The gap between the two history modes, in all and by place in the conversation. */
export const Drift = z
  .object({
    scores: z.record(z.string(), DriftGap),
    by_turn: z.array(z.record(z.string(), DriftGap)),
    sentence: z.string(),
  })
  .meta({ id: "Drift" });
export type Drift = z.infer<typeof Drift>;

/** Name → number in 0..1, higher is better. A score that cannot be computed is absent, never 0. */
export const Scores = z.record(z.string(), z.number().min(0).max(1)).meta({ id: "Scores" });
export type Scores = z.infer<typeof Scores>;

/** One measured quality of one reply. `value` is null when the scorer could not judge it. */
export const Score = z
  .object({ name: z.string(), value: z.number().min(0).max(1).nullable(), reason: z.string().optional() })
  .meta({ id: "Score" });
export type Score = z.infer<typeof Score>;

/** The definitions that produced a score. Raised whenever any default scorer changes a value. */
export const scoringVersion = "11";

/**
 * What the scores of a run were made with, as digests: scores of one name are the same measure in two runs only where these
 * agree. Digests, because a judge may be the operator's, whose address is nobody else's business.
 */
export const Measures = z
  .object({
    overall: z.string().describe("Weights and scorers: what `overall` is made of."),
    weighted: z
      .boolean()
      .optional()
      .describe("Whether `overall` is made of the scores that have weights, and of no others."),
    checks: z
      .record(z.string(), z.string())
      .optional()
      .describe("What each check of the run asks for, by the name of its score."),
    judge: z.string().nullable().describe("The judge and its questions; null without one."),
    judge_scores: z.array(z.string()).describe("Names of the scores the judge gives."),
    labels: z.string().describe("The labeller and the rules by which labels are compared."),
  })
  .meta({ id: "Measures" });
export type Measures = z.infer<typeof Measures>;
