import { toldError } from "../told-error.ts";
import type { GivenScore } from "./scorer.ts";

/** The score of a check or scorer that threw: missing, with what happened. It must never cost the reply it was to judge. */
export function brokenScore(name: string, error: unknown): GivenScore {
  return { name, value: null, reason: `the scorer failed: ${toldError(error)}`, failed: true };
}
