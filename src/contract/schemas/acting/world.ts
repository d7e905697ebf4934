import { z } from "zod";
import { codeFields, hasOneSource, oneSource } from "../../../scoring/checks/check-fields.ts";
import { filesOnly } from "../../../scoring/checks/files-only.ts";
import { ExpectedValue, JsonValue, RecordedToolCall, ReferenceToolCall, ToolName } from "./tool-call.ts";

/** A JSON pointer (RFC 6901), in which `{name}` stands for an argument of the call. */
const PointerTemplate = z
  .string()
  .max(1_000)
  .regex(/^(?:\/.*)?$/s, "must be a JSON pointer: empty, or starting with /");

/**
 * One answer of a declared tool. The first whose `when` matches and whose `$state` values exist is given. In `result` and in the
 * values of `set`, `{"$state": "/pointer"}` reads the state and `{"$argument": "name"}` an argument.
 */
export const WorldAnswer = z
  .object({
    when: z.record(z.string(), ExpectedValue).optional().describe("Matchers by argument. Absent: any arguments."),
    result: JsonValue.optional(),
    error: z.string().max(10_000).optional().describe("The message of a failed call, given instead of a result."),
    set: z.record(PointerTemplate, JsonValue).optional().describe("Values to write into the state, by pointer."),
    remove: z.array(PointerTemplate).max(100).optional().describe("Pointers to remove from the state."),
    delay_ms: z.int().min(0).max(60_000).optional().describe("Wait before the answer."),
  })
  .refine(({ result, error }) => result === undefined || error === undefined, "must not have both result and error")
  .meta({ id: "WorldAnswer" });
export type WorldAnswer = z.infer<typeof WorldAnswer>;

/** A tool of a world. Without `answers`, its calls are answered from `recorded` or by the module of the world. */
export const WorldTool = z
  .object({
    name: ToolName,
    description: z.string().max(10_000).default(""),
    parameters: z.record(z.string(), JsonValue).describe("JSON Schema of the arguments."),
    answers: z.array(WorldAnswer).min(1).max(1_000).optional(),
  })
  .meta({ id: "WorldTool" });
export type WorldTool = z.infer<typeof WorldTool>;

/** Model calls with tools in one turn, unless the world sets another number. */
export const defaultMaxSteps = 20;

/** A disturbance of calls, as data. It happens with a probability, seeded by scenario and attempt, or on the calls that are named. */
const WorldFault = z
  .object({
    tool: z.string().min(1).max(128).describe("The tool whose calls are disturbed; `*` for all."),
    probability: z.number().min(0).max(1).optional(),
    on_call: z
      .union([z.int().min(1), z.array(z.int().min(1)).min(1).max(100)])
      .optional()
      .describe("The numbers of the calls of the tool in an attempt, from 1."),
    error: z.string().min(1).max(2_000).optional().describe("The call fails with this error, and changes nothing."),
    delay_ms: z.int().min(0).max(60_000).optional().describe("A wait before the answer."),
    truncate: z.int().min(0).max(1_000_000).optional().describe("The result is cut after so many characters."),
    stale: z.literal(true).optional().describe("The result is that of the initial state."),
    inject: z
      .string()
      .min(1)
      .max(10_000)
      .optional()
      .describe("A text that is added to the result, such as an instruction."),
  })
  .refine(
    ({ probability, on_call }) => (probability === undefined) !== (on_call === undefined),
    "must have either probability or on_call",
  )
  .refine(
    ({ error, delay_ms, truncate, stale, inject }) =>
      [error, delay_ms, truncate, stale, inject].some((effect) => effect !== undefined),
    "must have error, delay_ms, truncate, stale or inject",
  )
  .meta({ id: "WorldFault" });
export type WorldFault = z.infer<typeof WorldFault>;

/** A private environment with tools. Every attempt starts with a fresh copy of the state. */
export const World = z
  .object({
    state: JsonValue.optional().describe("Default: an empty object."),
    state_file: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        "A JSON or YAML file with the state, read when a run begins. Only in files and configuration, never in an HTTP request.",
      )
      .register(filesOnly),
    tools: z.array(WorldTool).max(128).default([]),
    recorded: z
      .array(RecordedToolCall.omit({ id: true, source: true, ms: true, arguments_error: true }))
      .max(10_000)
      .optional()
      .describe(
        "Recorded calls that answer tools without `answers`: the next unused one with the same name and arguments.",
      ),
    module: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        "A module with functions as tools, which are listed in `tools` when a run begins. Only in files and configuration, never in an HTTP request.",
      )
      .register(filesOnly),
    module_version: z
      .string()
      .max(100)
      .optional()
      .describe("Identifies the module's tools and initial state in a stored run. Set by the command that starts it.")
      .register(filesOnly),
    faults: z
      .array(WorldFault)
      .max(100)
      .optional()
      .describe("Disturbances of the calls, the same for an attempt of a scenario in every run."),
    max_steps: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe("Model calls with tools in one turn; then the model must answer without. Default 20."),
  })
  .meta({
    id: "World",
    anyOf: [{ required: ["tools"], properties: { tools: { minItems: 1 } } }, { required: ["module"] }],
  });
export type World = z.infer<typeof World>;

/** Where an agent with a tool loop of its own expects the address of its world, a private MCP server for each attempt. */
export const WorldAddress = z
  .object({
    header: z
      .string()
      .max(100)
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "must be the name of a header")
      .optional()
      .describe("The header that carries the address, such as `rehearsal-world` for our agent backend."),
    field: z
      .string()
      .max(1_000)
      .regex(/^\/./s, "must be a JSON pointer, such as /config/mcp_url")
      .optional()
      .describe("The place in the body that carries it, as a JSON pointer."),
  })
  .refine(({ header, field }) => header !== undefined || field !== undefined, "must name a header or a field")
  .meta({ id: "WorldAddress" });
export type WorldAddress = z.infer<typeof WorldAddress>;

/** The header by which our agent backend takes the address of a world. */
export const worldHeader = "rehearsal-world";

/** A tool named by its name alone or with its arguments. */
const ToolPattern = z.union([ToolName, ReferenceToolCall]);
export type ToolPattern = z.infer<typeof ToolPattern>;

/** Requirements of a whole conversation. All of them must hold for `outcome` 1. */
export const Expectation = z
  .object({
    state: z
      .record(PointerTemplate, ExpectedValue)
      .optional()
      .describe("Expected values of the final state, by JSON pointer."),
    state_after: z
      .array(ReferenceToolCall)
      .max(1_000)
      .optional()
      .describe("The final state must equal the state after these calls in a fresh world."),
    said: z
      .array(ExpectedValue)
      .max(100)
      .optional()
      .describe("Each text must occur in a reply, ignoring case; a matcher must match a whole reply."),
    must_call: z.array(ToolPattern).max(100).optional(),
    must_not_call: z.array(ToolPattern).max(100).optional(),
    before: z
      .array(z.object({ first: ToolPattern, later: ToolPattern }))
      .max(100)
      .optional()
      .describe("`later` may be called only after a successful call of `first`."),
    max_calls: z
      .union([z.int().min(0), z.record(ToolName, z.int().min(0))])
      .optional()
      .describe("Maximum number of calls in total, or by tool."),
    code: z
      .array(
        z
          .object({
            language: z.enum(["javascript", "python"]),
            ...codeFields,
            vars: z.record(z.string(), z.json()).optional().describe("Values for the code, as `context.vars`."),
          })
          .refine(hasOneSource, "must have either code or file")
          .meta({ id: "StateCode", oneOf: oneSource }),
      )
      .min(1)
      .max(100)
      .optional()
      .describe("Code that gets the final state as `output`: each must return true. Only files may bring it.")
      .register(filesOnly),
    rubric: z.string().min(1).max(20_000).optional().describe("A question about the conversation for the judge."),
    checks: z
      .literal("all")
      .optional()
      .describe(
        "Every check of the turns must pass, and the expected tool calls must be made. Weight 0 does not count.",
      ),
  })
  .meta({ id: "Expectation" });
export type Expectation = z.infer<typeof Expectation>;

/** A difference between the expected and the actual final state. An absent side means that there is no value. */
export const StateDifference = z
  .object({ path: z.string(), expected: JsonValue.optional(), actual: JsonValue.optional() })
  .meta({ id: "StateDifference" });
export type StateDifference = z.infer<typeof StateDifference>;

/** Whether an attempt met its `expect`. The attempt's score `outcome` is 1 when every part passed. */
export const ExpectationResult = z
  .object({
    value: z
      .union([z.literal(0), z.literal(1)])
      .nullable()
      .describe("null when a part could not be decided."),
    parts: z.array(
      z.object({
        name: z.string().describe("The rule, such as `state`, `said` or `must_not_call`."),
        passed: z.boolean().nullable(),
        reason: z.string(),
      }),
    ),
    state_diff: z.array(StateDifference).optional().describe("Where the final state differs from the expected one."),
  })
  .meta({ id: "ExpectationResult" });
export type ExpectationResult = z.infer<typeof ExpectationResult>;
