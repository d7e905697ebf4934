import type { RunState } from "../contract/run.ts";
import type { AttemptState } from "../contract/store.ts";

/**
 * The tables as kysely sees them, the same on every database. Objects and free text are JSON text: it escapes NUL and
 * lone surrogates, which text columns refuse or alter. Times are milliseconds, flags are 0 or 1.
 */
export interface Tables {
  run: RunTable;
  run_scenario: RunScenarioTable;
  attempt: AttemptTable;
  interaction: InteractionTable;
}

export interface RunTable {
  id: string;
  owner: string | null;
  state: RunState;
  priority: number;
  demo: number;
  settings: string;
  warnings: string;
  message: string;
  summary: string | null;
  /** Copies out of `settings`, as JSON text, to filter by. */
  test_name: string;
  model_id: string;
  max_concurrency: number | null;
  /** JSON text of [owner, key]: unique as a pair, also when there is no owner. */
  idempotency_key: string | null;
  idempotency_hash: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  attempts_total: number;
  interactions_total: number;
  /** The counts of done work are filled in when the run ends; until then they are summed over its attempts. */
  attempts_done: number;
  interactions_done: number;
  interactions_failed: number;
}

export interface RunScenarioTable {
  run_id: string;
  scenario_index: number;
  definition: string;
}

export interface AttemptTable {
  id: string;
  run_id: string;
  scenario_index: number;
  attempt: number;
  state: AttemptState;
  average_scores: string | null;
  interactions_done: number;
  interactions_failed: number;
  /** Raised at every claim: a write that carries an older one is refused. */
  fence: number;
  tries: number;
  lease_owner: string | null;
  /** On the steady clock of the host, like `available_at`. */
  lease_until: number | null;
  available_at: number;
}

export interface InteractionTable {
  attempt_id: string;
  turn_index: number;
  reply: string;
  scores: string | null;
  failed: number;
  finished_at: number;
}
