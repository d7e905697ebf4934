import type { ErrorCode } from "./errors.ts";
import { ServiceError } from "./service-error.ts";

const codes: ReadonlySet<ErrorCode> = new Set(["storage_full", "storage_unavailable"]);

/** Whether the store cannot be used just now: its disk is full, it is away, or it takes no writes. */
export function isStoreFailure(error: unknown): error is ServiceError {
  return error instanceof ServiceError && codes.has(error.code);
}
