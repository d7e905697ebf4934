import type { Score } from "../../contract/score.ts";
import { errorLine } from "../error-line.ts";

/** The score of a check or scorer that threw: missing, with what happened. It must never cost the reply it was to judge. */
export function brokenScore(name: string, error: unknown): Score {
  return { name, value: null, reason: `the scorer failed: ${errorLine(error)}` };
}
