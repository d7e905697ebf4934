import { makeText } from "../fake-model/behaviour.ts";

export interface Workload {
  readonly scenarios: number;
  readonly turns: number;
  readonly attempts: number;
  /** Words of a question and of a reference reply. */
  readonly words?: number;
}

export function interactionsOf({ scenarios, turns, attempts }: Workload): number {
  return scenarios * turns * attempts;
}

/** The body of POST /evaluate for so much work, and what `rehearsal eval` reads from a file. */
export function toEvaluationRequest(
  { scenarios, turns, attempts, words = 12 }: Workload,
  { endpoint }: { endpoint: string },
): string {
  const test_batch = Array.from({ length: scenarios }, (_, scenario) => ({
    id: `scenario-${scenario}`,
    interactions: Array.from({ length: turns }, (__, turn) => ({
      id: `turn-${turn}`,
      user_message: `${makeText(words, scenario + turn)} ${scenario}`,
      reference_reply: makeText(words, (scenario + turn) % 7),
    })),
  }));
  return JSON.stringify({ test_batch, endpoint, model_id: "fake", attempts, test_name: "bench" });
}
