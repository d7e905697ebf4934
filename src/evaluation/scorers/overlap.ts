/** F1 of a number of matches between two sides of these sizes. Both empty is a full match, one empty none. */
export function overlapF1(matches: number, generated: number, expected: number): number {
  if (generated === 0 && expected === 0) return 1;
  return (2 * matches) / (generated + expected);
}

export function countTokens(tokens: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

/** How many tokens two sides share, each as often as the side that has it less often, and what the expected side misses. */
export function multisetOverlap(
  generated: readonly string[],
  expected: readonly string[],
): { shared: number; missing: string[] } {
  const available = countTokens(generated);
  const missing: string[] = [];
  for (const token of expected) {
    const left = available.get(token) ?? 0;
    if (left === 0) missing.push(token);
    else available.set(token, left - 1);
  }
  return { shared: expected.length - missing.length, missing };
}
