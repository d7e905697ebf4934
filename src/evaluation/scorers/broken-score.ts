import type { Score } from "../../contract/score.ts";

const longest = 200;

/** The score of a check or scorer that threw: missing, with what happened. It must never cost the reply it was to judge. */
export function brokenScore(name: string, error: unknown): Score {
  return { name, value: null, reason: `the scorer failed: ${describe(error)}` };
}

// What is thrown may be anything, and even telling its text may throw.
function describe(error: unknown): string {
  try {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return text
      .slice(0, longest)
      .toWellFormed()
      .replace(/[\s\p{Cc}]+/gu, " ");
  } catch {
    return "unknown error";
  }
}
