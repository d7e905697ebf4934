import type { EvaluationResponse } from "../../src/contract/evaluation-response.ts";
import type { InteractionError } from "../../src/contract/interaction-result.ts";

export interface FailureGroup {
  readonly code: string;
  readonly count: number;
  readonly example: InteractionError;
  /** Where the first one happened. */
  readonly first: { readonly scenarioId: string; readonly attempt: number; readonly turn: number };
}

/** Turns without a usable reply, gathered by cause, the most frequent first. */
export function groupFailures(results: EvaluationResponse): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const scenario of results.results.scenarios) {
    for (const { attempt, interactions } of scenario.attempts) {
      interactions.forEach(({ error }, turn) => {
        if (!error) return;
        const known = groups.get(error.code);
        const first = known?.first ?? { scenarioId: scenario.scenario_id, attempt, turn };
        groups.set(error.code, {
          code: error.code,
          count: (known?.count ?? 0) + 1,
          example: known?.example ?? error,
          first,
        });
      });
    }
  }
  return [...groups.values()].toSorted((left, right) => right.count - left.count);
}
