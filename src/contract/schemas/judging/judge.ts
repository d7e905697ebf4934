import { z } from "zod";
import { Choices } from "../../../scoring/checks/rubric.ts";
import { UserEnd } from "../acting/user-turn.ts";
import { HelperUsage } from "../shared/usage.ts";
import { ExpectationResult } from "../acting/world.ts";

/** One question a judge answers. */
export const Rubric = z
  .object({
    name: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[A-Za-z][A-Za-z0-9_-]*$/, "must start with a letter and hold letters, digits, _ and - only"),
    text: z.string().min(1).max(20_000).describe("The question, as the judge model reads it."),
    weight: z.number().min(0).max(1_000).default(1),
    choices: Choices.optional(),
  })
  .meta({ id: "Rubric" });
export type Rubric = z.infer<typeof Rubric>;

/** A quote that a verdict rests on. It was checked to occur where the judge says. */
export const JudgeEvidence = z
  .object({
    turn: z.int().min(0).describe("The turn, from 1; 0 for the system prompt and the policy."),
    call: z.string().optional().describe("The id of the tool call that has it. Absent for what was said."),
    quote: z.string(),
  })
  .meta({ id: "JudgeEvidence" });
export type JudgeEvidence = z.infer<typeof JudgeEvidence>;

/** The judge's answer to one question, with every vote and their agreement. */
export const JudgeVerdict = z
  .object({
    value: z.number().min(0).max(1).nullable().describe("Mean of the votes; null when no vote is readable."),
    verdict: z.string().nullable().describe("The most frequent choice; null on a tie or without votes."),
    votes: z.array(
      z.object({
        choice: z.string().nullable().describe("null when the answer is unreadable."),
        reason: z.string(),
        evidence: z.array(JudgeEvidence).optional().describe("What the vote rests on. Only ready-made judges quote."),
        model: z.string().optional().describe("The model that voted, in a panel of several."),
      }),
    ),
    left_out: z
      .array(z.string())
      .optional()
      .describe("What of the material was shortened for the judge. Absent when it saw everything."),
    agreement: z.number().min(0).max(1).nullable().describe("Share of votes for the most frequent choice."),
    judge_audited: z.boolean().describe("True when this judge has passed an audit with this question."),
  })
  .meta({ id: "JudgeVerdict" });
export type JudgeVerdict = z.infer<typeof JudgeVerdict>;

/** The scores of a whole conversation: the judge's, those of the tool rules and `outcome`. */
export const ConversationJudgement = z
  .object({
    scores: z.record(z.string(), z.number().min(0).max(1)),
    score_reasons: z.record(z.string(), z.string()),
    judgements: z.record(z.string(), JudgeVerdict),
    undecided_scores: z
      .array(z.string())
      .optional()
      .describe("Scores without a value because they need tool calls, or arguments, that could not be seen."),
    helper_usage: HelperUsage.optional(),
    outcome: ExpectationResult.optional().describe("Whether the attempt met its scenario's `expect`."),
    user: UserEnd.optional().describe("How a conversation with a simulated user ended."),
    kept: z
      .boolean()
      .optional()
      .describe("True when the run was rescored and this verdict is from an earlier scoring."),
  })
  .meta({ id: "ConversationJudgement" });
export type ConversationJudgement = z.infer<typeof ConversationJudgement>;
