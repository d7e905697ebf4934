import { z } from "zod";

/** Any JSON. Its depth was checked when it was parsed; `z.json()` would take a second for a state of a few megabytes. */
export const JsonValue = z.unknown() as unknown as z.ZodType<z.core.util.JSONType>;

/** A tool name, as providers accept it. */
export const ToolName = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\w.:/-]+$/, "must consist of letters, digits and _ . : / -");

/** One tool call of an agent with its outcome, as far as it is known. */
export const RecordedToolCall = z
  .object({
    id: z.string(),
    name: z.string(),
    arguments: JsonValue.describe("The arguments, usually an object; the text itself when it is not valid JSON."),
    arguments_error: z.string().optional().describe("Why the text in `arguments` is not valid JSON."),
    arguments_unknown: z
      .literal(true)
      .optional()
      .describe("Set when the agent reported the call without arguments; `arguments` is then null."),
    result: JsonValue.optional().describe("Absent when the call failed or its result is unknown."),
    error: z.string().optional().describe("Why the call failed."),
    ms: z.number().min(0).optional().describe("Duration of the call in milliseconds, if known."),
    source: z.literal("spans").optional().describe("Set when only the spans of the agent show the call."),
  })
  .meta({ id: "RecordedToolCall" });
export type RecordedToolCall = z.infer<typeof RecordedToolCall>;

/**
 * An expected value. Any JSON is compared by value, except that an object with one of these keys is a matcher:
 * `$any`, `$one_of`, `$regex`, `$text`, `$number`, `$contains`, `$schema`, `$absent`, `$literal`. Matchers may appear at any
 * depth, but not inside `$literal`.
 */
export const ExpectedValue = JsonValue.meta({
  id: "ExpectedValue",
  description:
    'JSON that is compared by value, with matchers at any depth: {"$any": true}, {"$one_of": […]}, {"$regex": "…"}, {"$text": "…"} (ignores case and white space), {"$number": {"value": 1, "tolerance": 0.1}}, {"$contains": …}, {"$schema": {…}}, {"$absent": true}, {"$literal": …} (compared as it is).',
});
export type ExpectedValue = z.infer<typeof ExpectedValue>;

/** An expected tool call. Without `arguments`, any arguments are right. */
export const ReferenceToolCall = z
  .object({
    name: ToolName,
    arguments: z.record(z.string(), ExpectedValue).optional().describe("Expected arguments. Absent: any."),
  })
  .meta({ id: "ReferenceToolCall" });
export type ReferenceToolCall = z.infer<typeof ReferenceToolCall>;

/** How the tool calls of a turn compare with its reference calls. Calls and references are named by their index. */
export const ToolComparison = z
  .object({
    pairs: z
      .array(
        z.object({
          call: z.int().min(0).nullable().describe("The call that was assigned to the reference; null: not called."),
          wrong: z
            .array(
              z.object({
                argument: z.string().optional().describe("Absent when it concerns the arguments as a whole."),
                reason: z.string(),
              }),
            )
            .optional()
            .describe("Wrong arguments. Absent when all are right."),
        }),
      )
      .optional()
      .describe("One per reference call, in their order. Absent when the turn has no reference calls."),
    unexpected: z
      .array(z.int().min(0))
      .optional()
      .describe("Calls that are wrong because no reference expects them, at most 100."),
    problems: z
      .array(
        z.object({
          call: z.int().min(0),
          kind: z.enum(["unknown_tool", "invalid_arguments"]),
          reason: z.string(),
        }),
      )
      .optional()
      .describe("Calls of unknown tools, and arguments that do not fit the tool's schema, at most 100."),
  })
  .meta({ id: "ToolComparison" });
export type ToolComparison = z.infer<typeof ToolComparison>;

/** Rules for comparing tool calls with the reference calls. */
export const ToolMatching = z
  .object({
    order: z.enum(["any", "strict"]).optional().describe("`strict`: in the order of the references. Default `any`."),
    extra: z
      .enum(["allow", "forbid"])
      .optional()
      .describe("Whether calls without a reference are wrong. Default `allow`."),
    extra_arguments: z
      .enum(["allow", "forbid"])
      .optional()
      .describe("Whether arguments that the reference does not name are wrong. Default `forbid`."),
    text: z
      .enum(["exact", "loose"])
      .optional()
      .describe("`loose` ignores case, punctuation and white space in texts. Default `exact`."),
  })
  .meta({ id: "ToolMatching" });
export type ToolMatching = z.infer<typeof ToolMatching>;
