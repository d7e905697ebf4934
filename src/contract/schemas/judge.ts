import { z } from "zod";
import { Choices } from "./scorer-setting.ts";
import { Usage } from "./usage.ts";

/** One question a judge answers. */
export const Rubric = z
  .object({
    name: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[A-Za-z][A-Za-z0-9_-]*$/, "must start with a letter and hold letters, digits, _ and - only"),
    text: z.string().min(1).max(20_000).describe("What to judge, in words the judge model reads."),
    weight: z.number().min(0).max(1_000).default(1),
    choices: Choices.optional(),
  })
  .meta({ id: "Rubric" });
export type Rubric = z.infer<typeof Rubric>;

/** What a judge said about one question: every vote, and how far they agree. */
export const JudgeVerdict = z
  .object({
    value: z.number().min(0).max(1).nullable().describe("Mean of the votes; null when no vote could be read."),
    verdict: z.string().nullable().describe("The choice most votes went to; null on a tie or without votes."),
    votes: z.array(
      z.object({
        choice: z.string().nullable().describe("null: the answer could not be used."),
        reason: z.string(),
      }),
    ),
    agreement: z.number().min(0).max(1).nullable().describe("Share of the votes for the most frequent choice."),
    judge_audited: z.boolean().describe("Whether this judge with this question was ever checked against people."),
  })
  .meta({ id: "JudgeVerdict" });
export type JudgeVerdict = z.infer<typeof JudgeVerdict>;

/** What was spent on judging and labelling. */
export const HelperUsage = z
  .object({
    calls: z.int().min(0),
    usage: Usage,
    cost: z.number().min(0).nullable(),
    unpriced: z.int().min(0).optional().describe("Answers whose price is not known: they are not in `cost`."),
    refused: z.int().min(0).optional().describe("Calls that were not made because the budget was spent."),
  })
  .meta({ id: "HelperUsage" });
export type HelperUsage = z.infer<typeof HelperUsage>;

/** What a judge said about a whole conversation. */
export const ConversationJudgement = z
  .object({
    scores: z.record(z.string(), z.number().min(0).max(1)),
    score_reasons: z.record(z.string(), z.string()),
    judgements: z.record(z.string(), JudgeVerdict),
    helper_usage: HelperUsage.optional(),
    kept: z
      .boolean()
      .optional()
      .describe("True when the run was scored again and this verdict was not asked for anew."),
  })
  .meta({ id: "ConversationJudgement" });
export type ConversationJudgement = z.infer<typeof ConversationJudgement>;
