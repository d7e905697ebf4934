import type { ErrorCode } from "../contract/errors.ts";
import { ServiceError } from "../contract/service-error.ts";
import { LeaseLost } from "./lease-lost.ts";

const codes: ReadonlySet<ErrorCode> = new Set(["storage_unavailable", "storage_full", "shutting_down"]);

/** Whether an error comes from what is around an attempt and says nothing about it: tried again, it may well work. */
export function isCircumstance(error: unknown): boolean {
  return error instanceof LeaseLost || (error instanceof ServiceError && codes.has(error.code));
}
