import { isShuttingDown, isStoreFailure, ServiceError } from "../contract/errors.ts";
import { LeaseLost } from "./lease-lost.ts";

/** Whether an error comes from what is around an attempt and says nothing about it: tried again, it may well work. */
export function isCircumstance(error: unknown): boolean {
  return error instanceof LeaseLost || isStoreFailure(error) || isShuttingDown(error) || isOverloaded(error);
}

/** Others under way leave too little memory. */
function isOverloaded(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "overloaded";
}
