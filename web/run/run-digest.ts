import type { EvaluationResponse } from "../../src/contract/evaluation-response.ts";
import type { InteractionError } from "../../src/contract/interaction-result.ts";

export interface FailureGroup {
  readonly code: string;
  readonly count: number;
  readonly example: InteractionError;
  /** Where the first one happened. */
  readonly first: { readonly scenarioId: string; readonly attempt: number; readonly turn: number };
}

/** What is drawn of all turns together: how each score spreads, and why turns got no reply. */
export interface RunDigest {
  readonly turns: number;
  /** Turns by value, in ten bins over 0..1, by score. */
  readonly bins: ReadonlyMap<string, readonly number[]>;
  /** The most frequent first. */
  readonly failures: readonly FailureGroup[];
}

export interface DigestedTurn {
  readonly scenario_id: string;
  readonly attempt: number;
  readonly turn_index: number;
  readonly error: InteractionError | null;
  readonly scores: Readonly<Record<string, number>>;
}

const binCount = 10;

/** The bin of a value; 1 itself belongs to the last. */
const binOf = (value: number): number => Math.min(binCount - 1, Math.max(0, Math.floor(value * binCount)));

/** Takes turns one by one and keeps only what is drawn of them. */
export function createDigest() {
  const bins = new Map<string, number[]>();
  const failures = new Map<string, FailureGroup>();
  let turns = 0;

  return {
    add({ scenario_id, attempt, turn_index, error, scores }: DigestedTurn): void {
      turns += 1;
      for (const [name, value] of Object.entries(scores)) {
        const counts = bins.get(name) ?? Array.from({ length: binCount }, () => 0);
        counts[binOf(value)] = (counts[binOf(value)] ?? 0) + 1;
        bins.set(name, counts);
      }
      if (!error) return;
      const known = failures.get(error.code);
      const first = { scenarioId: scenario_id, attempt, turn: turn_index };
      failures.set(error.code, { code: error.code, example: error, first, ...known, count: (known?.count ?? 0) + 1 });
    },
    digest: (): RunDigest => ({
      turns,
      bins: new Map(bins),
      failures: [...failures.values()].toSorted((left, right) => right.count - left.count),
    }),
  };
}

/** The digest of a run whose results are all here. */
export function digestResults(results: EvaluationResponse): RunDigest {
  const { add, digest } = createDigest();
  for (const { scenario_id, attempts } of results.results.scenarios) {
    for (const { attempt, interactions } of attempts) {
      for (const turn of interactions) add({ scenario_id, attempt, ...turn });
    }
  }
  return digest();
}
