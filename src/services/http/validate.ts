import type { z } from "zod";
import { ServiceError, type FieldError } from "../../contract/service-error.ts";
import { toPointer } from "./pointer.ts";
import { scrub } from "./scrub.ts";
import { kindOf, validationMessage } from "./validation-message.ts";

/** More would not help anybody, and could make the answer larger than the request. */
const mostErrors = 50;

/** The typed value, or a `validation_failed` that names every wrong field. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { error: validationMessage, reportInput: true });
  if (result.success) return result.data;

  const issues = result.error.issues.flatMap((issue) => innermost({ issue, base: [] }));
  // Only what is told is looked at closely: a body may hold a hundred thousand mistakes.
  const errors = issues.slice(0, mostErrors).map(toFieldError);
  const [first] = errors;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  const detail = first
    ? `${first.pointer === "" ? "The body" : first.pointer} ${first.message}${more}`
    : "The body is not valid";
  throw new ServiceError("validation_failed", detail, { errors });
}

type Issue = z.core.$ZodIssue;

/** An issue, and where the value lies that it was found in. */
interface Found {
  readonly issue: Issue;
  readonly base: readonly PropertyKey[];
}

/** What is behind an issue that stands for others. */
function innermost({ issue, base }: Found): readonly Found[] {
  const inner = innerIssues(issue);
  if (!inner) return [{ issue, base }];
  const path = [...base, ...issue.path];
  return inner.flatMap((found) => innermost({ issue: found, base: path }));
}

function innerIssues(issue: Issue): readonly Issue[] | null {
  if (issue.code === "invalid_union") return likeliest(issue.errors);
  return issue.code === "invalid_key" || issue.code === "invalid_element" ? issue.issues : null;
}

function toFieldError({ issue, base }: Found): FieldError {
  const received = describe(receivedBy(issue));
  const missing = ["invalid_type", "invalid_union"].includes(issue.code) && issue.input === undefined;
  return {
    pointer: toPointer([...base, ...issue.path]),
    code: missing ? "required" : issue.code,
    message: issue.message,
    ...(received !== undefined && { received }),
  };
}

/** The form of a union the caller meant: the one that fits as a whole and fails only inside. Null when none does. */
function likeliest(branches: readonly (readonly Issue[])[]): readonly Issue[] | null {
  const inside = branches.filter((issues) => issues.every(({ path }) => path.length > 0));
  return inside.toSorted((left, right) => left.length - right.length)[0] ?? null;
}

/** A wrong discriminator is reported at the field, with the whole object as its input. */
function receivedBy(issue: Issue): unknown {
  const { input } = issue;
  if (issue.code !== "invalid_union" || typeof issue.discriminator !== "string") return input;
  return typeof input === "object" && input !== null ? Reflect.get(input, issue.discriminator) : input;
}

/** A short, safe look at a value; undefined when there was none. */
function describe(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "object") return kindOf(value);
  const text = scrub(typeof value === "string" ? value.slice(0, 400) : String(value));
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
