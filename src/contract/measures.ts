import { z } from "zod";

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
