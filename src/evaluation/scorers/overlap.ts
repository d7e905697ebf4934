import type { WordCounts } from "../text/count-words.ts";

/** F1 of a number of matches between two sides of these sizes. Both empty is a full match, one empty none. */
export function overlapF1(matches: number, generated: number, expected: number): number {
  if (generated === 0 && expected === 0) return 1;
  return (2 * matches) / (generated + expected);
}

/** How many tokens two sides share, each as often as the side that has it less often, and what the expected side misses. */
export function multisetOverlap(
  generated: WordCounts,
  expected: readonly string[],
): { shared: number; missing: string[] } {
  const seen = new Map<string, number>();
  const missing: string[] = [];
  for (const token of expected) {
    const available = generated.get(token) ?? 0;
    const used = available === 0 ? 0 : (seen.get(token) ?? 0);
    if (used >= available) missing.push(token);
    else seen.set(token, used + 1);
  }
  return { shared: expected.length - missing.length, missing };
}
