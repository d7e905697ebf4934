import { z } from "zod";

/** Statistics of a mean score. The ends of the interval are null, never equal, when there is too little data. */
export const ScoreStats = z
  .object({
    n: z.int().min(0).describe("Number of values in the mean."),
    n_missing: z
      .int()
      .min(0)
      .describe("Interactions without this score; for scores of conversations, conversations without it."),
    mean: z.number().nullable(),
    min: z.number().nullable(),
    sd: z.number().nullable(),
    stderr: z.number().nullable(),
    ci_lower: z.number().nullable(),
    ci_upper: z.number().nullable(),
    method: z.string().describe("Method of the interval, or the reason there is none."),
  })
  .meta({ id: "ScoreStats" });
export type ScoreStats = z.infer<typeof ScoreStats>;

/** Probability that at least one (pass@k) and that every one (pass^k) of k attempts passes. */
export const Reliability = z
  .object({
    threshold: z
      .number()
      .describe("Minimum `overall` of an attempt, where the run has one; else that of a judge's score, 0.8."),
    attempts: z.int().min(0),
    passed: z.int().min(0),
    pass_at_k: z.array(z.number()),
    pass_hat_k: z.array(z.number()),
  })
  .meta({ id: "Reliability" });
export type Reliability = z.infer<typeof Reliability>;

/** Agreement between the generated and the expected labels of one key. */
export const LabelMetrics = z
  .object({
    n: z.int().min(0).describe("Number of labelled replies."),
    accuracy: z.number().nullable(),
    macro_f1: z.number().nullable(),
    kappa: z.number().nullable(),
    kappa_ci_lower: z.number().nullable().optional(),
    kappa_ci_upper: z.number().nullable().optional(),
    kappa_method: z.string().optional().describe("Method of kappa's interval, or the reason there is none."),
    confusion: z.record(z.string(), z.record(z.string(), z.int())).describe("expected → generated → count"),
  })
  .meta({ id: "LabelMetrics" });
export type LabelMetrics = z.infer<typeof LabelMetrics>;

/** Mean scores of some of the interactions, such as those of one type. */
export const ScoreSlice = z
  .object({
    n: z
      .int()
      .min(0)
      .describe(
        "Number of turns. These means weight each turn equally; `average_scores` of the run weights each scenario equally.",
      ),
    average_scores: z.record(z.string(), z.number()),
  })
  .meta({ id: "ScoreSlice" });
export type ScoreSlice = z.infer<typeof ScoreSlice>;

/** Scores by interaction type, by position in the conversation and by tag of the scenario. */
export const Breakdown = z
  .object({
    interaction_type: z.record(z.string(), ScoreSlice),
    turn_index: z.array(ScoreSlice),
    tag: z.record(z.string(), ScoreSlice),
  })
  .meta({ id: "Breakdown" });
export type Breakdown = z.infer<typeof Breakdown>;

/** The loss of a score with the model's own replies as history, compared with reference replies. */
export const DriftGap = z
  .object({
    generated: z.number().nullable(),
    reference: z.number().nullable(),
    gap: z.number().nullable().describe("reference - generated: the loss caused by the model's own earlier replies."),
    n: z
      .int()
      .min(0)
      .describe(
        "Number of turns with the score in both modes. These means weight each turn equally; `average_scores` weights each scenario equally.",
      ),
    ci_lower: z
      .number()
      .nullable()
      .optional()
      .describe(
        "Lower end of the gap's 95 % interval, clustered by scenario (within a scenario, by attempt); null when there is too little data. Given over all turns, and by turn for `overall`.",
      ),
    ci_upper: z.number().nullable().optional().describe("Upper end of the interval."),
  })
  .meta({ id: "DriftGap" });
export type DriftGap = z.infer<typeof DriftGap>;

/** The gap between the two history modes, in total and by position in the conversation. */
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

/** Version of the score definitions. Raised whenever a default scorer changes a value. */
export const scoringVersion = "13";

/**
 * Digests of the settings behind the scores of a run. Scores of one name are comparable between runs only when these agree.
 * Digests, because the address of the operator's judge must stay private.
 */
export const Measures = z
  .object({
    overall: z.string().describe("Weights and scorers that make up `overall`."),
    weighted: z.boolean().optional().describe("True when `overall` consists only of the scores that have weights."),
    checks: z.record(z.string(), z.string()).optional().describe("Settings of each check of the run, by score name."),
    judge: z.string().nullable().describe("The judge and its questions; null without a judge."),
    judge_scores: z.array(z.string()).describe("Names of the judge's scores."),
    labels: z.string().describe("The labeller and the label rules."),
  })
  .meta({ id: "Measures" });
export type Measures = z.infer<typeof Measures>;
