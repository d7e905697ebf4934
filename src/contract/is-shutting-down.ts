import { ServiceError } from "./service-error.ts";

/** The process itself stops: whoever asked is asked again by another. */
export function isShuttingDown(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "shutting_down";
}
