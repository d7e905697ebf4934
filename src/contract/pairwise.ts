import { z } from "zod";
import { JudgeSettings } from "./evaluation-request.ts";

/** Body of POST /compare: a judge chooses between the replies of two runs. */
export const PairwiseRequest = z
  .object({
    baseline: z.string().min(1).max(200),
    candidate: z.string().min(1).max(200),
    judge: JudgeSettings.pick({ endpoint: true, model_id: true, protocol: true, rubric: true, votes: true })
      .meta({ id: "PairwiseJudge" })
      .optional()
      .describe("Default: the judge of the operator (JUDGE_*). `rubric` says what makes a reply the better one."),
    limit: z.int().min(1).max(1_000).default(200).describe("Pairs at most; each takes two calls per vote."),
  })
  .meta({ id: "PairwiseRequest" });
export type PairwiseRequest = z.infer<typeof PairwiseRequest>;
