import { z } from "zod";

/** How the order of a score agrees with that of people's verdicts. */
export const ScoreAgreement = z
  .object({
    score: z.string(),
    correlation: z.number().nullable().describe("Spearman's rank correlation with the verdicts."),
    ci_lower: z.number().nullable().describe("95 % interval; null when there is none."),
    ci_upper: z.number().nullable(),
    replies: z.int().min(0),
    scenarios: z.int().min(0),
    method: z.string().describe("Method of the interval, or the reason there is none."),
  })
  .meta({ id: "ScoreAgreement" });
export type ScoreAgreement = z.infer<typeof ScoreAgreement>;

/** A person's verdict on one reply. */
export const PersonVerdict = z
  .object({
    scenario_id: z.string(),
    attempt: z.int().min(1).default(1),
    interaction_id: z.string(),
    value: z.number().min(0).max(1).describe("From 0, bad, to 1, good."),
  })
  .meta({ id: "PersonVerdict" });
export type PersonVerdict = z.infer<typeof PersonVerdict>;

export const ScoreAgreementRequest = z
  .object({ verdicts: z.array(PersonVerdict).min(1).max(50_000) })
  .meta({ id: "ScoreAgreementRequest" });

export const ScoreAgreements = z
  .object({
    run_id: z.string(),
    verdicts: z.int().min(0).describe("Verdicts on replies of this run."),
    scores: z.array(ScoreAgreement).describe("Highest correlation first."),
    notes: z.array(z.string()),
  })
  .meta({ id: "ScoreAgreements" });
export type ScoreAgreements = z.infer<typeof ScoreAgreements>;
