import { z } from "zod";
import { JudgeSettings } from "./evaluation-request.ts";
import { HelperUsage } from "./shared/usage.ts";
import { Warning } from "../errors/problem.ts";

const interval = { ci_lower: z.number().nullable(), ci_upper: z.number().nullable() };

/** One reply with the choice a person made for it. */
export const AuditItem = z
  .object({
    id: z.string().min(1).max(256).optional(),
    conversation_before: z
      .array(z.object({ user_message: z.string(), reply: z.string() }))
      .max(1_000)
      .optional()
      .describe("Earlier turns, oldest first. The judge sees them as in a run."),
    user_message: z.string(),
    reply: z.string(),
    reference_reply: z.string().optional(),
    human: z.string().min(1).max(64).describe("The choice of a person, one of the judge's choices."),
  })
  .meta({ id: "AuditItem" });
export type AuditItem = z.infer<typeof AuditItem>;

export const JudgeAuditRequest = z
  .object({
    judge: JudgeSettings,
    items: z.array(AuditItem).min(1).max(5_000),
    repeats: z
      .int()
      .min(1)
      .max(5)
      .default(2)
      .describe("Number of times each item is judged, to measure self-consistency."),
  })
  .meta({ id: "JudgeAuditRequest" });
export type JudgeAuditRequest = z.infer<typeof JudgeAuditRequest>;

/** The reliability of a judge, measured against the choices of people. Unavailable figures are null, and `notes` gives the reason. */
export const JudgeAudit = z
  .object({
    fingerprint: z
      .string()
      .describe("Identifies the judge with its question. Scores with the same fingerprint count as audited."),
    passed: z
      .boolean()
      .describe(
        "True when the lower end of kappa's interval is at least 0.4 over 20 or more items, at least 5 items are not of the most frequent choice, and at most 5 % of the answers are unreadable.",
      ),
    items: z.int().min(0),
    judged: z.int().min(0),
    kappa: z.number().nullable(),
    ...interval,
    agreement: z.number().nullable().describe("Share of items on which judge and person agree."),
    base_rate: z.number().nullable().describe("Agreement reached by always giving the person's most frequent choice."),
    confusion: z.record(z.string(), z.record(z.string(), z.int())).describe("person → judge → count"),
    self_consistency: z.number().nullable().describe("Share of items that got the same choice every time."),
    position_flip_rate: z.number().nullable().describe("Share of pairs whose winner changed with the order."),
    length_bias: z
      .object({ correlation: z.number().nullable(), pairs: z.int(), longer_wins: z.number().nullable() })
      .describe(
        "Correlation of the judge's error with the length of the reply, and how often the longer reply of an equal pair won.",
      ),
    notes: z.array(z.string()),
    helper_usage: HelperUsage.optional().describe("Usage of the judge's calls."),
    warnings: z.array(Warning).optional().describe("Unknown fields, which were ignored. Absent when there are none."),
  })
  .meta({ id: "JudgeAudit" });
export type JudgeAudit = z.infer<typeof JudgeAudit>;
