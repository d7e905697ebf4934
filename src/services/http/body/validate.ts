import type { z } from "zod";
import { truncateText } from "../../../base/text.ts";
import { ServiceError, type FieldError } from "../../../contract/errors.ts";
import { toPointer } from "../../../base/json.ts";
import { scrub } from "../scrub.ts";
import { kindOf, validationMessage } from "../../../contract/schemas/validation-message.ts";

/** More would not help anybody, and could make the answer larger than the request. */
const mostErrors = 50;

/** A body of more values may be nothing but mistakes, and each costs more than reading it: only the first is looked for then. */
const manyValues = 20_000;

/** The typed value, or a `validation_failed` that names every wrong field; of a very large body, one that is wrong. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  nameOf: (pointer: string) => string = fieldOfBody,
): z.output<Schema> {
  const result = parse(schema, value);
  if (result.success) return result.data;

  const issues = result.error.issues.flatMap((issue) => innermost({ issue, base: [] })).filter(saysMore);
  // Only what is told is looked at closely: a body may hold a hundred thousand mistakes.
  const errors = issues.slice(0, mostErrors).map((found) => toFieldError(found, value));
  const [first] = errors;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  const detail = first ? `${nameOf(first.pointer)} ${first.message}${more}` : "The request is not valid";
  throw new ServiceError("validation_failed", detail, { errors });
}

/** The same for what stands behind the question mark of an address. No parameter is a list: of two values, one would be dropped. */
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

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.ZodSafeParseResult<z.output<Schema>> {
  const options: z.core.ParseContextInternal<Issue> = {
    error: validationMessage,
    reportInput: true,
    abortEarly: hasMoreValues(manyValues, value),
  };
  try {
    return schema.safeParse(value, options);
  } catch (error) {
    // Not every mistake ends the search, and a hundred thousand in one list are more than the parser can hold.
    if (!(error instanceof RangeError)) throw error;
    throw new ServiceError("validation_failed", "The body holds more mistakes than can be told.", { cause: error });
  }
}

/** Whether a JSON value holds more than so many. Looks no further than it must. */
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

/** An issue, and where the value lies that it was found in. */
interface Found {
  readonly issue: Issue;
  readonly base: readonly PropertyKey[];
  /** It is the name of the field that is wrong, not its value. */
  readonly ofKey?: boolean;
}

/** What is behind an issue that stands for others. */
function innermost(found: Found): readonly Found[] {
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

/** The parser also tells the size of what is of the wrong kind: that an empty list, where a text belongs, lacks an item. */
function saysMore(found: Found, index: number, all: readonly Found[]): boolean {
  if (found.issue.code !== "too_small" && found.issue.code !== "too_big") return true;
  const before = all[index - 1];
  return before?.issue.code !== "invalid_type" || toPointer(pathOf(before)) !== toPointer(pathOf(found));
}

const pathOf = ({ issue, base }: Found): readonly PropertyKey[] => [...base, ...issue.path];

function toFieldError(found: Found, sent: unknown): FieldError {
  const { issue, ofKey } = found;
  const path = pathOf(found);
  // As it was sent: the issue may hold what became of it (a text of a query), or all that it is part of.
  const value = ofKey ? issue.input : valueAt(sent, path);
  const received = describe(value);
  const missing = ["invalid_type", "invalid_union", "invalid_value"].includes(issue.code) && value === undefined;
  return {
    pointer: toPointer(path),
    code: missing ? "required" : issue.code,
    message: issue.message,
    ...(received !== undefined && { received }),
  };
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
    value,
  );
}

/** The form of a union the caller meant: the one that fits as a whole and fails only inside. Null when none does. */
function likeliest(branches: readonly (readonly Issue[])[]): readonly Issue[] | null {
  const inside = branches.filter((issues) => issues.every(({ path }) => path.length > 0));
  // One that asks for a certain value was less likely meant than one that asks for any of its kind.
  const otherValues = (issues: readonly Issue[]) => issues.filter(({ code }) => code === "invalid_value").length;
  const fewest = (left: readonly Issue[], right: readonly Issue[]) =>
    left.length - right.length || otherValues(left) - otherValues(right);
  return inside.toSorted(fewest)[0] ?? null;
}

/** A short, safe look at a value; undefined when there was none. */
function describe(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "object") return kindOf(value);
  return truncateText(scrub(typeof value === "string" ? value.slice(0, 400) : String(value)), 80);
}
