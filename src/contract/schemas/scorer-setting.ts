import { z } from "zod";

const name = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9_.-]*$/, "must start with a letter and hold letters, digits, _ . - only")
  .optional()
  .describe("Name of the score. Default: the type, numbered when used more than once.");

/** What a judge may answer, each with its value in 0..1. */
export const Choices = z
  .record(z.string().min(1).max(64), z.number().min(0).max(1))
  .refine((record) => Object.keys(record).length >= 2, "must have at least 2 choices")
  .refine((record) => Object.keys(record).length <= 20, "must have at most 20 choices")
  .meta({ id: "Choices" });
export type Choices = z.infer<typeof Choices>;

/** 1 when the reply holds the texts asked for. */
const ContainsSetting = z
  .object({
    type: z.literal("contains"),
    name,
    text: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(100)]),
    mode: z.enum(["all", "any", "none"]).default("all"),
    ignore_case: z.boolean().default(true),
  })
  .meta({ id: "ContainsSetting" });

/** 1 when the reply is this text, character by character. */
const EqualsSetting = z
  .object({
    type: z.literal("equals"),
    name,
    text: z.string(),
    ignore_case: z.boolean().default(false),
    negate: z.boolean().default(false).describe("1 when the reply is any other text."),
  })
  .meta({ id: "EqualsSetting" });

/** How similar the reply is to a reference by one of the built-in scores; with a threshold, 1 from there on and 0 below. */
const SimilaritySetting = z
  .object({
    type: z.literal("similarity"),
    name,
    metric: z.enum(["token_f1", "rouge_l", "edit_similarity", "chrf"]),
    reference: z.string().min(1).optional().describe("Default: the reference replies; the best match counts."),
    threshold: z.number().gt(0).max(1).optional(),
  })
  .meta({ id: "SimilaritySetting" });

/** 1 when the pattern (RE2 syntax) is found in the reply. */
const RegexSetting = z
  .object({
    type: z.literal("regex"),
    name,
    pattern: z.string().min(1).max(2_000),
    ignore_case: z.boolean().default(false),
    negate: z.boolean().default(false).describe("1 when the pattern is not found."),
  })
  .meta({ id: "RegexSetting" });

/** 1 when the reply is JSON that fits the schema; a fenced code block is unwrapped first. */
const JsonSchemaSetting = z
  .object({ type: z.literal("json_schema"), name, schema: z.record(z.string(), z.json()) })
  .meta({ id: "JsonSchemaSetting" });

/** 1 when a number of the reply is within the tolerance of the expected one. */
const NumericSetting = z
  .object({
    type: z.literal("numeric"),
    name,
    expected: z.number().optional().describe("Default: the first number of the reference reply."),
    tolerance: z.number().min(0).default(0),
    relative: z.boolean().default(false).describe("The tolerance is a share of the expected number."),
  })
  .meta({ id: "NumericSetting" });

/** 1 when the reply's length is within the bounds. */
const LengthSetting = z
  .object({
    type: z.literal("length"),
    name,
    min: z.int().min(0).optional(),
    max: z.int().min(0).optional(),
    unit: z.enum(["characters", "words"]).default("characters"),
  })
  .meta({ id: "LengthSetting" });

/** 1 when the reply came within the time. */
const LatencySetting = z
  .object({
    type: z.literal("latency"),
    name,
    max_ms: z.number().min(0),
    of: z.enum(["reply", "first_token"]).default("reply"),
  })
  .meta({ id: "LatencySetting" });

/** 1 when the call cost no more than this. Absent where no price is known. */
const CostSetting = z
  .object({ type: z.literal("cost"), name, max: z.number().min(0).describe("US dollars per call.") })
  .meta({ id: "CostSetting" });

export const UserScorerSetting = z
  .discriminatedUnion("type", [
    ContainsSetting,
    EqualsSetting,
    SimilaritySetting,
    RegexSetting,
    JsonSchemaSetting,
    NumericSetting,
    LengthSetting,
    LatencySetting,
    CostSetting,
  ])
  .meta({ id: "UserScorerSetting" });
export type UserScorerSetting = z.infer<typeof UserScorerSetting>;

/** A built-in or operator's scorer by name, or a check with options. */
export const ScorerSetting = z.union([z.string().min(1).max(64), UserScorerSetting]).meta({ id: "ScorerSetting" });
export type ScorerSetting = z.infer<typeof ScorerSetting>;

/** What the run's judge is asked about the reply. Absent where the run has no judge of single replies. */
const RubricSetting = z
  .object({
    type: z.literal("rubric"),
    name,
    text: z.string().min(1).max(20_000),
    choices: Choices.optional().describe("What the judge may answer. Default: pass 1, partial 0.5, fail 0."),
  })
  .meta({ id: "RubricSetting" });

/** What one reply alone is checked for. */
export const TurnCheck = z
  .discriminatedUnion("type", [...UserScorerSetting.options, RubricSetting])
  .meta({ id: "TurnCheck" });
export type TurnCheck = z.infer<typeof TurnCheck>;
