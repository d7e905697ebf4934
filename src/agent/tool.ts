import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { RE2JS } from "re2js";
import { isRecord, type JsonRecord } from "../base/json.ts";
import type { ToolDefinition } from "../contract/ports/chat-model.ts";
import { mapSchema } from "./map-schema.ts";
import { toOfferedSchema } from "./offered-schema.ts";
import { atReference } from "./schema-reference.ts";
import { toolNamePattern } from "./tool-name.ts";

export type ToolArguments = Readonly<Record<string, unknown>>;

/** What a tool gets besides its arguments. `signal` aborts when its time is over or nobody waits any more. */
interface ToolContext {
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A tool the agent runs by itself. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** The run stops and hands the call out instead of running it. */
  readonly needsApproval: boolean;
  /** Overrides the run's limit for one call. */
  readonly timeoutMs: number | undefined;
  /** null when the arguments fit the schema, else what is wrong with them, written for the model. */
  readonly check: (args: unknown) => string | null;
  /** Text goes to the model as it is, anything else as JSON. A rejection is told to the model in one short line. */
  readonly run: (args: ToolArguments, context: ToolContext) => unknown;
}

/** A failure whose message was written for the model, which reads it without the class name. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/**
 * Declares a tool. `parameters` is a JSON schema of an object; it is compiled once, and coerces nothing. With `ours` that waits
 * for the first call: a schema of others may be no schema, which is said here, but the validator is large and many never need it.
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
  ours = false,
}: {
  name: string;
  description: string;
  parameters: Readonly<Record<string, unknown>>;
  run: (args: Arguments, context: ToolContext) => unknown;
  timeoutMs?: number | undefined;
  needsApproval?: boolean | undefined;
  ours?: boolean;
}): Tool {
  if (!toolNamePattern.test(name)) {
    throw new TypeError(`A tool cannot be named "${name}": use 1 to 64 letters, digits, _ and -.`);
  }
  const { $schema: dialect, ...given } = parameters;
  const schema = mapSchema(given, (part) => toCurrentRequired(toCurrentBounds(part))) as Readonly<
    Record<string, unknown>
  >;
  // What would take too long to check is left to the tool.
  const compile = (): ValidateFunction => compileSchema(name, { dialect, schema: isTooHeavy(schema) ? {} : schema });
  let validate = ours ? null : compile();

  return {
    definition: { name, description, parameters: toOfferedSchema(schema) },
    needsApproval,
    timeoutMs,
    check: (args) => checkArguments((validate ??= compile()), args),
    // The loop runs a tool only with arguments that passed its schema, which is what `Arguments` spells out.
    run: (args, context) => run(args as Arguments, context),
  };
}

// Schemas come from many hands (MCP servers, OpenAPI files): what a validator does not know is left to the tool.
// Compiling reports broken keywords by itself; checking against the meta schema would cost a start 150 ms.
const ajvOptions: Options = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  unicodeRegExp: false,
  meta: false,
  validateSchema: false,
  logger: false,
  // Every object has a "constructor" unless one asks for its own.
  ownProperties: true,
  // 19.99 is a multiple of 0.01 for everybody but a computer.
  multipleOfPrecision: 6,
  code: { regExp: Object.assign(readPattern, { code: "readPattern" }) },
};
/** In draft 4 `id` is the name of a schema; the validator would refuse the tool for it. */
const withoutId = <Validator extends Ajv | Ajv2020>(ajv: Validator): Validator => {
  ajv.removeKeyword("id");
  return ajv;
};
let known: { readonly current: Ajv2020; readonly draft7: Ajv } | null = null;
const validators = () =>
  (known ??= { current: withoutId(new Ajv2020(ajvOptions)), draft7: withoutId(new Ajv(ajvOptions)) });

/**
 * Patterns come from outside and are run on what a model wrote, so they run in linear time. One that cannot, or that is written
 * for another language, is left to the tool.
 */
function readPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    // The validator tells patterns apart by their text.
    return { test: (text) => compiled.matcher(text).find(), toString: () => pattern };
  } catch {
    return { test: () => true };
  }
}

function compileSchema(
  tool: string,
  { dialect, schema }: { dialect: unknown; schema: Readonly<Record<string, unknown>> },
): ValidateFunction {
  // It would answer with a promise, which is always true.
  if (Object.hasOwn(schema, "$async"))
    throw new TypeError(`The parameters of "${tool}" are $async, which is not supported.`);
  try {
    return compileAs(isOld(dialect) ? validators().draft7 : validators().current, schema);
  } catch (cause) {
    // Without a dialect it may be the older one, whose lists of items differ.
    const older = dialect === undefined ? compileOld(schema) : null;
    if (older) return older;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`The parameters of "${tool}" are not a usable JSON schema: ${reason}`, { cause });
  }
}

const isOld = (dialect: unknown) => typeof dialect === "string" && dialect.includes("draft-0");

function compileOld(schema: Readonly<Record<string, unknown>>): ValidateFunction | null {
  try {
    return compileAs(validators().draft7, schema);
  } catch {
    return null;
  }
}

function compileAs(ajv: Ajv | Ajv2020, schema: Readonly<Record<string, unknown>>): ValidateFunction {
  try {
    return ajv.compile(schema);
  } finally {
    // The compiled check is all we keep: the cache would hold the schema of every tool ever declared.
    ajv.removeSchema(schema);
  }
}

function checkArguments(validate: ValidateFunction, args: unknown): string | null {
  try {
    return validate(args) ? null : describeErrors(validate.errors ?? []);
  } catch (error) {
    // A schema that contains itself is checked as deep as the arguments go.
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

const bounds = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;

/** In draft 4, and in OpenAPI 3.0, a bound stands beside a word of whether it is left out itself; today the word is the bound. */
function toCurrentBounds(schema: JsonRecord): JsonRecord {
  return bounds.reduce((current, [exclusive, bound]) => {
    const { [exclusive]: isLeftOut, ...rest } = current;
    if (typeof isLeftOut !== "boolean") return current;
    const { [bound]: limit, ...others } = rest;
    return isLeftOut && limit !== undefined ? { ...others, [exclusive]: limit } : rest;
  }, schema);
}

/**
 * In draft 3 a property says of itself that it is required; today the object that has it lists it. Many who write a schema by hand
 * still do the former. Some servers write null for an empty list.
 */
function toCurrentRequired(schema: JsonRecord): JsonRecord {
  const { required = [], ...rest } = schema;
  const listed: unknown = typeof required === "boolean" || required === null ? [] : required;
  const properties = isRecord(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const own = properties.flatMap(([name, part]) => (isRecord(part) && part["required"] === true ? name : []));
  // What else is no list is for the validator to refuse.
  if (!Array.isArray(listed) || (listed === required && own.length === 0)) return schema;
  const names = [...new Set<unknown>([...listed, ...own])];
  return names.length === 0 ? rest : { ...rest, required: names };
}

/** Parts of a schema that are looked at in no time, each as often as it is referred to. */
const mostParts = 200_000;
/** Where all parts have to be known together (`unevaluatedProperties`), making them ready takes time with the square of their number. */
const mostJoinedParts = 1_000;
/** A reference by a name of another kind than ours may be one that doubles the work. */
const mostUnknown = 16;
const deepest = 500;

/**
 * Whether a schema would hold everybody up. Schemas come from others: one whose every part refers twice to the next is small, and
 * takes years to hold a value against.
 */
export function isTooHeavy(schema: Readonly<Record<string, unknown>>): boolean {
  const names = new Map<string, object>();
  const known = new Map<object, number>();
  let parts = 0;
  let unknown = 0;
  let joins = false;

  function collect(value: unknown, depth: number): void {
    if (typeof value !== "object" || value === null || depth > deepest) return;
    parts += 1;
    for (const key of ["$anchor", "$dynamicAnchor"]) {
      const name: unknown = Reflect.get(value, key);
      if (typeof name === "string") names.set(`#${name}`, value);
    }
    joins ||= "unevaluatedProperties" in value || "unevaluatedItems" in value;
    for (const inner of Object.values(value)) collect(inner, depth + 1);
  }

  /** The parts that a value may be held against, those referred to included. What refers to itself ends with the value. */
  function weigh(value: unknown, depth: number): number {
    if (typeof value !== "object" || value === null || depth > deepest) return 0;
    const weighed = known.get(value);
    if (weighed !== undefined) return weighed;
    known.set(value, 1);
    let sum = 1;
    for (const inner of Object.values(value)) sum += weigh(inner, depth + 1);
    for (const key of ["$ref", "$dynamicRef"]) {
      const name: unknown = Reflect.get(value, key);
      if (typeof name === "string") sum += weigh(find(name), depth + 1);
    }
    known.set(value, sum);
    return sum;
  }

  function find(reference: string): unknown {
    const found = names.get(reference) ?? atReference(schema, reference);
    if (found === undefined) unknown += 1;
    return found;
  }

  collect(schema, 0);
  const weight = weigh(schema, 0);
  return weight > mostParts || unknown > mostUnknown || (joins && parts > mostJoinedParts);
}
