import type { z } from "zod";

type RawIssue = z.core.$ZodRawIssue;

/** The message for an invalid field, to follow its name: `must be at most 100`. */
export function validationMessage(issue: RawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      // Query text that is not a number.
      if (Number.isNaN(issue.input)) return `must be ${withArticle(issue.expected)}`;
      return `must be ${withArticle(issue.expected)}, not ${kindOf(issue.input)}`;
    case "invalid_value":
      return `must be ${oneOf(issue.values)}`;
    case "too_small":
      return bound("at least", issue.minimum, issue);
    case "too_big":
      return bound("at most", issue.maximum, issue);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `has unknown fields: ${issue.keys.join(", ")}`;
    case "invalid_union":
      if (issue.input === undefined) return "is required";
      return Array.isArray(issue.options)
        ? `must be ${oneOf(issue.options.filter((option) => option !== undefined))}`
        : unionMessage(issue);
    case "invalid_format":
      return `is not a valid ${issue.format}`;
    default:
      return "is not valid";
  }
}

function bound(
  word: string,
  limit: number | bigint,
  issue: { origin: string; inclusive?: boolean | undefined },
): string {
  const units: Record<string, string> = {
    string: "character",
    array: "item",
    set: "item",
    map: "entry",
    object: "key",
  };
  const unit = units[issue.origin];
  if (unit !== undefined) return `must have ${word} ${limit} ${unit}${limit === 1 ? "" : "s"}`;
  if (issue.inclusive === false) return `must be ${word === "at least" ? "more" : "less"} than ${limit}`;
  return `must be ${word} ${limit}`;
}

type Branches = readonly (readonly z.core.$ZodIssue[])[];

/** Lists the forms a union allows: `must be an object or an array, not null`. */
function unionMessage({ errors, input }: { errors?: Branches; input?: unknown }): string {
  const forms = [...new Set(formsOf(errors ?? []))];
  if (forms.length === 0) return "matches none of the allowed forms";
  const list = [forms.slice(0, -1).join(", "), forms.at(-1)].filter((part) => part !== "").join(" or ");
  // When some strings are allowed, "not a string" would mislead.
  const isAllowedKind = forms.some((form) => form.startsWith('"')) && typeof input === "string";
  return `must be ${list}${isAllowedKind ? "" : `, not ${kindOf(input)}`}`;
}

function formsOf(branches: Branches): string[] {
  return branches.flat().flatMap((issue) => {
    if (issue.path.length > 0) return [];
    if (issue.code === "invalid_type") return [withArticle(issue.expected)];
    if (issue.code === "invalid_value") return issue.values.map((value) => JSON.stringify(value) ?? String(value));
    return issue.code === "invalid_union" ? formsOf(issue.errors) : [];
  });
}

function oneOf(values: readonly unknown[]): string {
  const list = values.map((value) => JSON.stringify(value) ?? String(value));
  return list.length === 1 ? (list[0] ?? "") : `one of ${list.join(", ")}`;
}

function withArticle(type: string): string {
  const names: Record<string, string> = { int: "a whole number", record: "an object", nan: "a number", null: "null" };
  return names[type] ?? `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`;
}

/** The kind of a value, as named in validation messages. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number")
    return Number.isInteger(value) ? "a number" : Number.isFinite(value) ? "a fraction" : "too large a number";
  return withArticle(typeof value);
}
