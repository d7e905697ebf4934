import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";

/** Marks that can still be told apart on a line of this width. */
const most = 400;

/** The averages of the attempts by score, to be drawn one by one; none where there are too many to tell apart. */
export function attemptAverages(results: EvaluationResponse | undefined): ReadonlyMap<string, readonly number[]> {
  const attempts = results?.results.scenarios.flatMap((scenario) => scenario.attempts) ?? [];
  const values = new Map<string, number[]>();
  if (attempts.length > most) return values;
  for (const { average_scores } of attempts) {
    for (const [name, value] of Object.entries(average_scores)) {
      const known = values.get(name);
      if (known) known.push(value);
      else values.set(name, [value]);
    }
  }
  return values;
}
