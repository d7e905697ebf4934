/** Scores that are 0 or 1 by nature. A `token_f1` that happens to be 1 everywhere says nothing about how it might vary. */
export function isBinary(score: string): boolean {
  return score === "success" || score === "exact_match" || score.startsWith("metadata.");
}
