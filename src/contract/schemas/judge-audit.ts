import { z } from "zod";
import { Warning } from "./problem.ts";
import { JudgeSettings } from "./evaluation-request.ts";
import { HelperUsage } from "./judge.ts";

const interval = { ci_lower: z.number().nullable(), ci_upper: z.number().nullable() };

/** One reply with the choice a person made for it. */
export const AuditItem = z
  .object({
    id: z.string().min(1).max(256).optional(),
    conversation_before: z
      .array(z.object({ user_message: z.string(), reply: z.string() }))
      .max(1_000)
      .optional()
      .describe("What was said before, oldest first: a judge is shown it in a run."),
    user_message: z.string(),
    reply: z.string(),
    reference_reply: z.string().optional(),
    human: z.string().min(1).max(64).describe("The choice a person made: one of the judge's choices."),
  })
  .meta({ id: "AuditItem" });
export type AuditItem = z.infer<typeof AuditItem>;

export const JudgeAuditRequest = z
  .object({
    judge: JudgeSettings,
    items: z.array(AuditItem).min(1).max(5_000),
    repeats: z.int().min(1).max(5).default(2).describe("How often each item is judged, for self-consistency."),
  })
  .meta({ id: "JudgeAuditRequest" });
export type JudgeAuditRequest = z.infer<typeof JudgeAuditRequest>;

/** How far a judge can be trusted, measured against people. Figures that cannot be had are null, and `notes` says why. */
export const JudgeAudit = z
  .object({
    fingerprint: z.string().describe("Names this judge with this question; scores of the same one count as audited."),
    passed: z
      .boolean()
      .describe(
        "Lower end of kappa's interval at least 0.4 over 20 items or more, at least 5 of them not of the most frequent choice, and at most 5 % unreadable answers.",
      ),
    items: z.int().min(0),
    judged: z.int().min(0),
    kappa: z.number().nullable(),
    ...interval,
    agreement: z.number().nullable().describe("Share of items with the person's choice."),
    base_rate: z.number().nullable().describe("Agreement of always giving the person's most frequent choice."),
    confusion: z.record(z.string(), z.record(z.string(), z.int())).describe("person → judge → count"),
    self_consistency: z.number().nullable().describe("Share of items judged the same every time."),
    position_flip_rate: z.number().nullable().describe("Share of pairs whose winner changed with the order shown."),
    length_bias: z
      .object({ correlation: z.number().nullable(), pairs: z.int(), longer_wins: z.number().nullable() })
      .describe(
        "Whether the judge's error goes with the reply's length; and how often the longer of an equal pair won.",
      ),
    notes: z.array(z.string()),
    helper_usage: HelperUsage.optional().describe("What the judge's calls took."),
    warnings: z.array(Warning).optional().describe("Unknown fields, which were ignored. Absent where there are none."),
  })
  .meta({ id: "JudgeAudit" });
export type JudgeAudit = z.infer<typeof JudgeAudit>;

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
