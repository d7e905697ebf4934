import { isShuttingDown, isStoreFailure } from "../contract/errors.ts";
import { LeaseLost } from "./lease-lost.ts";

/** Whether an error comes from what is around an attempt and says nothing about it: tried again, it may well work. */
export function isCircumstance(error: unknown): boolean {
  return error instanceof LeaseLost || isStoreFailure(error) || isShuttingDown(error);
}
