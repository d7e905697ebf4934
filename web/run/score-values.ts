import type { EvaluationResponse } from "../../src/contract/evaluation-response.ts";

/** Every turn's value of every score, for the histograms. */
export function scoreValues(results: EvaluationResponse): Map<string, number[]> {
  const values = new Map<string, number[]>();
  for (const scenario of results.results.scenarios) {
    for (const attempt of scenario.attempts) {
      for (const turn of attempt.interactions) {
        for (const [name, value] of Object.entries(turn.scores)) {
          const list = values.get(name);
          if (list) list.push(value);
          else values.set(name, [value]);
        }
      }
    }
  }
  return values;
}

/** Counts per bin over 0..1; 1 itself belongs to the last bin. */
export function toBins(values: readonly number[], bins = 10): number[] {
  const counts = Array.from({ length: bins }, () => 0);
  for (const value of values) {
    const index = Math.min(bins - 1, Math.max(0, Math.floor(value * bins)));
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
}
