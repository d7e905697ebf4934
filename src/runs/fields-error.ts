import { ServiceError, type FieldError } from "../contract/errors.ts";

/** More would help nobody. */
const mostErrors = 50;

/** What is wrong with the fields of a request: the first in words, and each with its place. */
export function fieldsError(errors: readonly FieldError[]): ServiceError {
  const [first] = errors;
  const code = first?.code === "pattern_unsupported" ? "pattern_unsupported" : "validation_failed";
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return new ServiceError(code, `${first?.pointer} ${first?.message}${more}`, { errors: errors.slice(0, mostErrors) });
}

export function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw fieldsError(errors);
}
