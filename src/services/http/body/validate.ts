import { compact } from "../../../base/compact.ts";
import type { z } from "zod";
import { truncateText } from "../../../base/text.ts";
import { ServiceError, type FieldError } from "../../../contract/errors/errors.ts";
import { toPointer } from "../../../base/json.ts";
import { scrub } from "../environment/scrub.ts";
import { kindOf, validationMessage } from "../../../contract/schemas/shared/validation-message.ts";

/** More would not help, and could make the response larger than the request. */
const maxErrors = 50;

/** In a larger body, validation stops at the first error: a body full of errors would cost far more than reading it. */
const manyValues = 20_000;

/** Returns the typed value. Throws `validation_failed` with every wrong field; for a very large body, with the first. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  nameOf: (pointer: string) => string = fieldOfBody,
): z.output<Schema> {
  const result = parse(schema, value);
  if (result.success) return result.data;

  const issues = result.error.issues.flatMap((issue) => innermost({ issue, base: [] })).filter(isInformative);
  // Only the errors that are returned are described: a body may have a hundred thousand.
  const errors = issues.slice(0, maxErrors).map((found) => toFieldError(found, value));
  const [first] = errors;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  const detail = first ? `${nameOf(first.pointer)} ${first.message}${more}` : "The request is not valid";
  throw new ServiceError("validation_failed", detail, { errors });
}

/** Validates query parameters. Repeated ones are refused: no parameter is a list, so a value would be lost. */
export function validateQuery<Schema extends z.ZodObject>(
  schema: Schema,
  query: Readonly<Record<string, readonly string[]>>,
): z.output<Schema> {
  const repeated = Object.keys(schema.shape).find((name) => (query[name]?.length ?? 0) > 1);
  if (repeated !== undefined) {
    const message = `was sent ${query[repeated]?.length} times; send it once`;
    throw new ServiceError("validation_failed", `The query parameter ${repeated} ${message}`, {
      errors: [{ pointer: toPointer([repeated]), code: "repeated", message }],
    });
  }
  const values = Object.fromEntries(Object.entries(query).map(([name, [value]]) => [name, value]));
  return validate(schema, values, (pointer) => `The query parameter ${pointer.slice(1)}`);
}

function fieldOfBody(pointer: string): string {
  return pointer === "" ? "The body" : pointer;
}

/** Most bodies are valid and are read once. Only a small invalid one is read again for its other errors. */
function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.ZodSafeParseResult<z.output<Schema>> {
  const first = tryParse(schema, value, { abortEarly: true });
  return first.success || hasMoreValues(manyValues, value) ? first : tryParse(schema, value, { abortEarly: false });
}

function tryParse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { abortEarly }: { readonly abortEarly: boolean },
): z.ZodSafeParseResult<z.output<Schema>> {
  const options: z.core.ParseContextInternal<Issue> = { error: validationMessage, reportInput: true, abortEarly };
  try {
    return schema.safeParse(value, options);
  } catch (error) {
    // Some errors do not stop the parser, and it cannot hold a hundred thousand in one list.
    if (!(error instanceof RangeError)) throw error;
    throw new ServiceError("validation_failed", "The body has too many errors to list.", { cause: error });
  }
}

/** True if a JSON value holds more than `limit` values. Stops counting there. */
function hasMoreValues(limit: number, value: unknown): boolean {
  const open = [value];
  for (let count = 0; open.length > 0; count += 1) {
    if (count + open.length > limit) return true;
    const next = open.pop();
    if (typeof next === "object" && next !== null) for (const item of Object.values(next)) open.push(item);
  }
  return false;
}

type Issue = z.core.$ZodIssue;

/** An issue, and the path of the value in which it was found. */
interface FoundProblem {
  readonly issue: Issue;
  readonly base: readonly PropertyKey[];
  /** True when the name of the field is wrong, not its value. */
  readonly ofKey?: boolean;
}

/** Expands an issue that wraps others. */
function innermost(found: FoundProblem): readonly FoundProblem[] {
  const { issue } = found;
  const inner = innerIssues(issue);
  if (!inner) return [found];
  const path = pathOf(found);
  const ofKey = issue.code === "invalid_key";
  return inner.flatMap((behind) => innermost({ issue: behind, base: path, ofKey }));
}

function innerIssues(issue: Issue): readonly Issue[] | null {
  if (issue.code === "invalid_union") return likeliest(issue.errors);
  return issue.code === "invalid_key" || issue.code === "invalid_element" ? issue.issues : null;
}

/** False for size issues of a value of the wrong type: zod reports both, for example for an empty array in place of a string. */
function isInformative(found: FoundProblem, index: number, all: readonly FoundProblem[]): boolean {
  if (found.issue.code !== "too_small" && found.issue.code !== "too_big") return true;
  const before = all[index - 1];
  return before?.issue.code !== "invalid_type" || toPointer(pathOf(before)) !== toPointer(pathOf(found));
}

const pathOf = ({ issue, base }: FoundProblem): readonly PropertyKey[] => [...base, ...issue.path];

function toFieldError(found: FoundProblem, sent: unknown): FieldError {
  const { issue, ofKey } = found;
  const path = pathOf(found);
  // The value as sent: the issue may hold a converted value, or the value around it.
  const value = ofKey ? issue.input : bodyValueAt(sent, path);
  const received = describe(value);
  const missing = ["invalid_type", "invalid_union", "invalid_value"].includes(issue.code) && value === undefined;
  return compact({
    pointer: toPointer(path),
    code: missing ? "required" : issue.code,
    message: issue.message,
    received,
  });
}

function bodyValueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
    value,
  );
}

/** The union member that the client most likely meant: one that fails only inside. Null when none does. */
function likeliest(branches: readonly (readonly Issue[])[]): readonly Issue[] | null {
  const inside = branches.filter((issues) => issues.every(({ path }) => path.length > 0));
  // A member that requires a certain value is less likely than one that takes any value of its type.
  const otherValues = (issues: readonly Issue[]) => issues.filter(({ code }) => code === "invalid_value").length;
  const fewest = (left: readonly Issue[], right: readonly Issue[]) =>
    left.length - right.length || otherValues(left) - otherValues(right);
  return inside.toSorted(fewest)[0] ?? null;
}

/** A short excerpt of a value without secrets; undefined when there is no value. */
function describe(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "object") return kindOf(value);
  return truncateText(scrub(typeof value === "string" ? value.slice(0, 400) : String(value)), 80);
}
