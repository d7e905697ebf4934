import { z } from "zod";

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
