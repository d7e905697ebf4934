import { z } from "zod";

/** How sure a mean score is. Interval ends are null, never equal, when there is too little to say. */
export const ScoreStats = z
  .object({
    n: z.int().min(0).describe("Values the mean was taken over."),
    n_missing: z.int().min(0).describe("Interactions that have no value for this score."),
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
    n: z.int().min(0),
    accuracy: z.number().nullable(),
    macro_f1: z.number().nullable(),
    kappa: z.number().nullable(),
    confusion: z.record(z.string(), z.record(z.string(), z.int())).describe("expected → generated → count"),
  })
  .meta({ id: "LabelMetrics" });
export type LabelMetrics = z.infer<typeof LabelMetrics>;
