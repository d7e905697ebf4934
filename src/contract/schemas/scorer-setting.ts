import { z } from "zod";
import { filesOnly } from "./files-only.ts";

const name = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9_.-]*$/, "must start with a letter and hold letters, digits, _ . - only")
  .optional()
  .describe("Name of the score. Default: the type, numbered when it is used more than once.");

/** Code of the user's own: inline, or a function of a file. Only `rehearsal eval` runs it; a request over HTTP cannot bring it. */
const source = {
  code: z.string().min(1).max(100_000).optional().describe("An expression, or a function body that returns a value."),
  file: z.string().min(1).max(4_096).optional().describe("A module of JavaScript, TypeScript or Python."),
  function: z.string().min(1).max(200).optional().describe("The function of the file. Default: its usual one."),
};

const codeOrFile = [{ required: ["code"] }, { required: ["file"] }];

export const CodeTransform = z
  .object({ language: z.enum(["javascript", "python"]), ...source })
  .refine(({ code, file }) => (code === undefined) !== (file === undefined), "must have either code or file")
  .meta({ id: "CodeTransform", oneOf: codeOrFile });
export type CodeTransform = z.infer<typeof CodeTransform>;

/** The fields of every check. */
const shared = {
  name,
  weight: z
    .number()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe("Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."),
  transform: z
    .array(CodeTransform)
    .min(1)
    .max(5)
    .optional()
    .describe("Code that changes the reply before it is checked. Only files on the machine of the run may bring it.")
    .register(filesOnly),
};

const negate = z.boolean().optional().describe("Scores 1 minus the value.");

/** The answers a judge may give, each with its value from 0 to 1. */
export const Choices = z
  .record(z.string().min(1).max(64), z.number().min(0).max(1))
  .refine((record) => Object.keys(record).length >= 2, "must have at least 2 choices")
  .refine((record) => Object.keys(record).length <= 20, "must have at most 20 choices")
  .meta({ id: "Choices", minProperties: 2, maxProperties: 20 });
export type Choices = z.infer<typeof Choices>;

/** 1 when the reply contains the texts. */
const ContainsSetting = z
  .object({
    type: z.literal("contains"),
    ...shared,
    negate,
    text: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(100)]),
    mode: z.enum(["all", "any", "none"]).default("all"),
    ignore_case: z.boolean().default(true),
  })
  .meta({ id: "ContainsSetting" });

/** 1 when the reply is exactly this text. */
const EqualsSetting = z
  .object({
    type: z.literal("equals"),
    ...shared,
    text: z.string(),
    ignore_case: z.boolean().default(false),
    negate: z.boolean().default(false).describe("Scores 1 when the reply is any other text."),
  })
  .meta({ id: "EqualsSetting" });

/** Similarity of the reply to a reference by a built-in score; with a threshold, 1 from the threshold on and 0 below. */
const SimilaritySetting = z
  .object({
    type: z.literal("similarity"),
    ...shared,
    negate,
    metric: z
      .enum(["token_f1", "rouge_l", "edit_similarity", "chrf", "rouge_1", "bleu", "gleu", "semantic"])
      .describe("`semantic` is the cosine of the embeddings; absent without an embedder."),
    reference: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(100)])
      .optional()
      .describe("Default: the reference replies; the best match counts."),
    threshold: z.number().gt(0).max(1).optional(),
  })
  .meta({ id: "SimilaritySetting" });

/** 1 when the pattern (RE2 syntax) is found in the reply. */
const RegexSetting = z
  .object({
    type: z.literal("regex"),
    ...shared,
    pattern: z.string().min(1).max(2_000),
    ignore_case: z.boolean().default(false),
    negate: z.boolean().default(false).describe("Scores 1 when the pattern is not found."),
  })
  .meta({ id: "RegexSetting" });

/** 1 when the reply is JSON that matches the schema; a fenced code block is unwrapped first. */
const JsonSchemaSetting = z
  .object({
    type: z.literal("json_schema"),
    ...shared,
    negate,
    anywhere: z.boolean().optional().describe("Also accepts JSON inside other text."),
    schema: z.record(z.string(), z.json()),
  })
  .meta({ id: "JsonSchemaSetting" });

/** 1 when a number in the reply is within the tolerance of the expected one. */
const NumericSetting = z
  .object({
    type: z.literal("numeric"),
    ...shared,
    negate,
    expected: z.number().optional().describe("Default: the first number in the reference reply."),
    tolerance: z.number().min(0).default(0),
    relative: z.boolean().default(false).describe("Makes the tolerance a share of the expected number."),
  })
  .meta({ id: "NumericSetting" });

/** 1 when the reply's length is within the bounds. */
const LengthSetting = z
  .object({
    type: z.literal("length"),
    ...shared,
    negate,
    min: z.int().min(0).optional(),
    max: z.int().min(0).optional(),
    unit: z.enum(["characters", "words"]).default("characters"),
  })
  .meta({ id: "LengthSetting" });

/** 1 when the reply took at most `max_ms`. */
const LatencySetting = z
  .object({
    type: z.literal("latency"),
    ...shared,
    negate,
    max_ms: z.number().min(0),
    of: z.enum(["reply", "first_token"]).default("reply"),
  })
  .meta({ id: "LatencySetting" });

/** 1 when the call cost at most `max`. Absent when the price is unknown. */
const CostSetting = z
  .object({ type: z.literal("cost"), ...shared, negate, max: z.number().min(0).describe("US dollars per call.") })
  .meta({ id: "CostSetting" });

/** 1 when at most `max` insertions, deletions and replacements of characters turn the reply into the text. */
const EditDistanceSetting = z
  .object({ type: z.literal("edit_distance"), ...shared, negate, reference: z.string(), max: z.int().min(0) })
  .meta({ id: "EditDistanceSetting" });

/** 1 when the reply is well-formed XML with these elements, each a path such as `order.id`. */
const XmlSetting = z
  .object({
    type: z.literal("xml"),
    ...shared,
    negate,
    elements: z.array(z.string().min(1)).max(100).optional(),
    anywhere: z.boolean().optional().describe("Also accepts XML inside other text."),
  })
  .meta({ id: "XmlSetting" });

/** 1 when the model ended its reply for this reason. Absent when the endpoint gave none. */
const FinishReasonSetting = z
  .object({ type: z.literal("finish_reason"), ...shared, negate, reason: z.string().min(1).max(100) })
  .meta({ id: "FinishReasonSetting" });

/** 1 when the reply calls tools, each with arguments that fit the tool's declared parameters. */
const ToolArgumentsSetting = z
  .object({ type: z.literal("valid_tool_calls"), ...shared, negate })
  .meta({ id: "ToolArgumentsSetting" });

const code = {
  ...shared,
  negate,
  ...source,
  threshold: z.number().optional().describe("1 from this value of the code on, and 0 below."),
  vars: z.record(z.string(), z.json()).optional().describe("Values for the code, as `context.vars`."),
  config: z.json().optional().describe("Settings for the code, as `context.config`."),
};
const oneSource = ({ code: inline, file }: { code?: string | undefined; file?: string | undefined }): boolean =>
  (inline === undefined) !== (file === undefined);

/** The value that JavaScript of the user's own gives to the reply. */
const JavaScriptSetting = z
  .object({ type: z.literal("javascript"), ...code })
  .refine(oneSource, "must have either code or file")
  .meta({ id: "JavaScriptSetting", oneOf: codeOrFile })
  .register(filesOnly);

/** The value that Python of the user's own gives to the reply. */
const PythonSetting = z
  .object({ type: z.literal("python"), ...code })
  .refine(oneSource, "must have either code or file")
  .meta({ id: "PythonSetting", oneOf: codeOrFile })
  .register(filesOnly);

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
    EditDistanceSetting,
    XmlSetting,
    FinishReasonSetting,
    ToolArgumentsSetting,
    JavaScriptSetting,
    PythonSetting,
  ])
  .meta({ id: "UserScorerSetting" });
export type UserScorerSetting = z.infer<typeof UserScorerSetting>;

/** A scorer by name, built-in or the operator's, or a check with options. */
export const ScorerSetting = z.union([z.string().min(1).max(64), UserScorerSetting]).meta({ id: "ScorerSetting" });
export type ScorerSetting = z.infer<typeof ScorerSetting>;

/** A question about the reply for the run's judge. Absent when the run has no judge of single replies. */
const RubricSetting = z
  .object({
    type: z.literal("rubric"),
    ...shared,
    negate,
    text: z.string().min(1).max(20_000),
    choices: Choices.optional().describe("The answers the judge may give. Default: pass 1, partial 0.5, fail 0."),
    threshold: z.number().gt(0).max(1).optional().describe("1 from this value on, and 0 below."),
  })
  .meta({ id: "RubricSetting" });

/** The weighted mean of several checks; with a threshold, 1 from the threshold on and 0 below. */
const GroupSetting = z
  .object({
    type: z.literal("group"),
    name,
    weight: shared.weight,
    checks: z
      .array(z.discriminatedUnion("type", [...UserScorerSetting.options, RubricSetting]))
      .min(1)
      .max(50),
    threshold: z.number().min(0).max(1).optional(),
  })
  .meta({ id: "GroupSetting" });

/** A check of the reply to one turn. */
export const TurnCheck = z
  .discriminatedUnion("type", [...UserScorerSetting.options, RubricSetting, GroupSetting])
  .meta({ id: "TurnCheck" });
export type TurnCheck = z.infer<typeof TurnCheck>;

/** A check that is not a group. */
export type SingleCheck = Exclude<TurnCheck, { type: "group" }>;

/** True for checks that run code of the user's own, or transform the reply by some. */
export function usesCode(setting: ScorerSetting | TurnCheck): boolean {
  if (typeof setting === "string") return false;
  if (setting.type === "group") return setting.checks.some(usesCode);
  return setting.type === "javascript" || setting.type === "python" || setting.transform !== undefined;
}

/** The check with other paths of its code files. */
export function withCodePaths<Check extends ScorerSetting | TurnCheck>(
  check: Check,
  toPath: (file: string) => string,
): Check {
  if (typeof check === "string" || !usesCode(check)) return check;
  const setting: Exclude<ScorerSetting | TurnCheck, string> = check;
  if (setting.type === "group") {
    const checks = setting.checks.map((member) => withCodePaths(member, toPath));
    return { ...setting, checks } as typeof setting as Check;
  }
  const { transform } = setting;
  const moved = {
    ...setting,
    ...("file" in setting && setting.file !== undefined && { file: toPath(setting.file) }),
    ...(transform && {
      transform: transform.map((code) => (code.file === undefined ? code : { ...code, file: toPath(code.file) })),
    }),
  };
  return moved as typeof setting as Check;
}
