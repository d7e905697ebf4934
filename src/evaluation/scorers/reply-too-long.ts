import type { Judgement } from "./scorer.ts";

/** Steps of a comparison that still take less than a second; beyond, one score would hold up everything else. */
const maximumSteps = 4e9;

/** Says why a quadratic comparison is left out, or null when both sides are short enough. */
export function replyTooLong(left: number, right: number, unit: string): Judgement | null {
  if (left * right <= maximumSteps) return null;
  return { value: null, reason: `too long to compare: ${left} and ${right} ${unit}`, failed: true };
}
