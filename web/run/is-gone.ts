import { ApiError } from "../api-error.ts";

/** A run may be deleted elsewhere while it is shown here: what is at hand of it is not shown any more. */
export const isGone = (error: Error | null): boolean => error instanceof ApiError && error.code === "run_not_found";
