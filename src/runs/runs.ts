import type { EvaluationPlan } from "../contract/evaluation-request.ts";
import type { Warning } from "../contract/evaluation-response.ts";
import type { RunEvent } from "../contract/run-event.ts";
import type { CreatedRun, RunFilter, RunPage, RunRecord } from "../contract/store.ts";

export interface NewRunOptions {
  readonly warnings: readonly Warning[];
  readonly idempotency?: { readonly key: string; readonly hash: string } | undefined;
  readonly owner: string | null;
}

/** Everything that can be done with runs. A run of another owner is as good as none. */
export interface Runs {
  create(plan: EvaluationPlan, options: NewRunOptions): Promise<CreatedRun>;
  get(id: string, owner: string | null): Promise<RunRecord>;
  list(filter: RunFilter): Promise<RunPage>;
  /** Resolves when the run has ended. */
  wait(id: string, signal: AbortSignal): Promise<RunRecord>;
  /** The evaluation response as pieces of JSON text, one scenario in memory at a time. */
  results(run: RunRecord): AsyncIterable<string>;
  /** What happens in the run from `after` on, the ended run last. */
  follow(id: string, options: { after: number; signal: AbortSignal }): AsyncIterable<RunEvent>;
  /** No new call starts after this; calls in flight are aborted. */
  cancel(id: string, owner: string | null): Promise<RunRecord>;
  /** Cancels if need be, then deletes. */
  remove(id: string, owner: string | null, signal: AbortSignal): Promise<void>;
  start(): Promise<void>;
  stop(options: { graceMs: number }): Promise<void>;
}
