import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { RE2JS } from "re2js";
import type { JsonRecord } from "../../base/json.ts";
import type { ToolDefinition } from "../../contract/ports/chat-model.ts";
import { toolNamePattern } from "../messages/tool-name.ts";
import { isTooHeavy, toCurrentSchema, toOfferedSchema } from "./tool-schema.ts";

export type ToolArguments = JsonRecord;

/** The second argument of a tool. `signal` aborts when its time is over or the run is cancelled. */
interface ToolContext {
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A tool that the agent runs itself. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** The run stops and hands the call out instead of running it. */
  readonly needsApproval: boolean;
  /** A call that may have been carried out when its process died is made again. */
  readonly idempotent: boolean;
  /** Overrides the run's limit for one call. */
  readonly timeoutMs: number | undefined;
  /** null when the arguments fit the schema, else the problem, written for the model. */
  readonly check: (args: unknown) => string | null;
  /** Text goes to the model unchanged, anything else as JSON. The model reads a rejection as one short line. */
  readonly run: (args: ToolArguments, context: ToolContext) => unknown;
}

/** A failure whose message is written for the model, which reads it without the class name. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/**
 * Declares a tool. `parameters` is a JSON schema of an object; it is compiled once and coerces nothing. An invalid schema throws
 * here, unless `ours` is set: built-in tools compile at their first call, because the validator is large and often not needed.
 *
 * @example
 * const echo = defineTool({
 *   name: "echo",
 *   description: "Repeats a text.",
 *   parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
 *   run: ({ text }: { text: string }) => text,
 * });
 */
export function defineTool<Arguments extends object>({
  name,
  description,
  parameters,
  run,
  timeoutMs,
  needsApproval = false,
  idempotent = false,
  ours = false,
}: {
  name: string;
  description: string;
  parameters: JsonRecord;
  run: (args: Arguments, context: ToolContext) => unknown;
  timeoutMs?: number | undefined;
  needsApproval?: boolean | undefined;
  /** True when a second call with the same arguments changes nothing more than the first did. */
  idempotent?: boolean | undefined;
  ours?: boolean;
}): Tool {
  if (!toolNamePattern.test(name)) {
    throw new TypeError(`A tool cannot be named "${name}": use 1 to 64 letters, digits, _ and -.`);
  }
  const { $schema: dialect, ...given } = parameters;
  const schema = toCurrentSchema(given);
  // Arguments that would take too long to check are left to the tool.
  const compile = (): ValidateFunction =>
    compileParameters(name, { dialect, schema: isTooHeavy(schema) ? {} : schema });
  let validate = ours ? null : compile();

  return {
    definition: { name, description, parameters: toOfferedSchema(schema) },
    needsApproval,
    idempotent,
    timeoutMs,
    check: (args) => checkArguments((validate ??= compile()), args),
    // The loop runs a tool only with arguments that passed its schema, and `Arguments` describes those.
    run: (args, context) => run(args as Arguments, context),
  };
}

// Schemas come from MCP servers and OpenAPI files: keywords the validator does not know are left to the tool.
// Compiling already reports broken keywords; checking against the meta schema would add 150 ms to the start.
const ajvOptions: Options = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  unicodeRegExp: false,
  meta: false,
  validateSchema: false,
  logger: false,
  // Without this, every object has a property "constructor".
  ownProperties: true,
  // With floating-point arithmetic 19.99 would be no multiple of 0.01.
  multipleOfPrecision: 6,
  code: { regExp: Object.assign(readPattern, { code: "readPattern" }) },
};
/** In draft 4 `id` names a schema; the validator would refuse the tool for it. */
const withoutId = <Validator extends Ajv | Ajv2020>(ajv: Validator): Validator => {
  ajv.removeKeyword("id");
  return ajv;
};
let created: { readonly current: Ajv2020; readonly draft7: Ajv } | null = null;
const validators = () =>
  (created ??= { current: withoutId(new Ajv2020(ajvOptions)), draft7: withoutId(new Ajv(ajvOptions)) });

/**
 * Foreign patterns run on text from a model, so they must run in linear time. A pattern that cannot, or that is written for another
 * language, is left to the tool.
 */
function readPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    // The validator distinguishes patterns by their text.
    return { test: (text) => compiled.matcher(text).find(), toString: () => pattern };
  } catch {
    return { test: () => true };
  }
}

function compileParameters(
  tool: string,
  { dialect, schema }: { dialect: unknown; schema: JsonRecord },
): ValidateFunction {
  // Such a validator returns a promise, which is always truthy.
  if (Object.hasOwn(schema, "$async"))
    throw new TypeError(`The parameters of "${tool}" are $async, which is not supported.`);
  try {
    return compileAs(isOld(dialect) ? validators().draft7 : validators().current, schema);
  } catch (cause) {
    // A schema without a dialect may be draft 7, where `items` of a tuple differ.
    const older = dialect === undefined ? compileOld(schema) : null;
    if (older) return older;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`The parameters of "${tool}" are not a usable JSON schema: ${reason}`, { cause });
  }
}

const isOld = (dialect: unknown) => typeof dialect === "string" && dialect.includes("draft-0");

function compileOld(schema: JsonRecord): ValidateFunction | null {
  try {
    return compileAs(validators().draft7, schema);
  } catch {
    return null;
  }
}

function compileAs(ajv: Ajv | Ajv2020, schema: JsonRecord): ValidateFunction {
  try {
    return ajv.compile(schema);
  } finally {
    // The cache would keep the schema of every tool ever declared; only the compiled check is needed.
    ajv.removeSchema(schema);
  }
}

function checkArguments(validate: ValidateFunction, args: unknown): string | null {
  try {
    return validate(args) ? null : describeErrors(validate.errors ?? []);
  } catch (error) {
    // A recursive schema is checked as deep as the arguments are nested.
    if (error instanceof RangeError) return "the arguments are nested too deep";
    throw error;
  }
}

const shownErrors = 5;

function describeErrors(errors: readonly ErrorObject[]): string {
  const shown = errors.slice(0, shownErrors).map(describeError);
  if (errors.length > shownErrors) shown.push(`${errors.length - shownErrors} more problems`);
  return shown.join("; ");
}

function describeError({ instancePath, keyword, message, params }: ErrorObject): string {
  const place = instancePath === "" ? "the arguments" : instancePath;
  const problem = message ?? "must fit the schema";
  if (keyword === "additionalProperties") return `${place} ${problem}: ${JSON.stringify(params["additionalProperty"])}`;
  if (keyword === "enum") return `${place} ${problem}: ${JSON.stringify(params["allowedValues"])}`;
  if (keyword === "const") return `${place} ${problem}: ${JSON.stringify(params["allowedValue"])}`;
  return `${place} ${problem}`;
}
