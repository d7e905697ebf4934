import { ServiceError, type FieldError } from "../../contract/errors/errors.ts";

const mostErrors = 50;

/** A validation error that quotes the first problem and lists the first 50 with their pointers. */
export function invalidFieldsError(errors: readonly FieldError[]): ServiceError {
  const [first] = errors;
  const code = first?.code === "pattern_unsupported" ? "pattern_unsupported" : "validation_failed";
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  // The pointer of the whole request is empty.
  const message = `${first?.pointer} ${first?.message}${more}`.trimStart();
  return new ServiceError(code, message, { errors: errors.slice(0, mostErrors) });
}

export function refuseInvalid(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidFieldsError(errors);
}
