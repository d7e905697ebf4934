import { ServiceError } from "../contract/errors.ts";
import type { RunSettings } from "../contract/evaluation-request.ts";
import type { ChatModel } from "../contract/model.ts";
import type { ClaimedAttempt, Queue } from "../contract/queue.ts";
import { finalStates } from "../contract/run.ts";
import type { RunRecord, Store } from "../contract/store.ts";
import { concludeRun } from "./conclude-run.ts";
import { executeAttempt } from "./execute-attempt.ts";
import { followRun } from "./follow-run.ts";
import { readResults } from "./read-results.ts";
import { createRunContexts } from "./run-context.ts";
import { createRunEvents } from "./run-events.ts";
import type { Runs } from "./runs.ts";
import { waitForRun } from "./wait-for-run.ts";
import { createWorker } from "./worker.ts";

export interface RunsOptions {
  readonly store: Store;
  readonly queue: Queue;
  /** The model a run is asked to test. */
  readonly createModel: (settings: RunSettings) => ChatModel;
  /** True when a scripted demo model will answer. */
  readonly isDemo: (settings: RunSettings) => boolean;
  readonly workerId: string;
  readonly newId: () => string;
  readonly concurrency: { readonly global: number; readonly perRun: number };
  readonly heartbeatMs: number;
  readonly onError: (error: unknown) => void;
  readonly now?: () => number;
}

/** Runs, and the worker of this process that carries them out. */
export function createRuns(options: RunsOptions): Runs {
  const { store, queue, newId, isDemo, onError, now = Date.now } = options;
  const events = createRunEvents();
  const contextOf = createRunContexts({ store, createModel: options.createModel });
  const worker = createWorker({
    id: options.workerId,
    queue,
    execute,
    capacity: options.concurrency.global,
    perRun: options.concurrency.perRun,
    onError,
    onReleased: concludeDrained,
    heartbeatMs: options.heartbeatMs,
  });

  async function execute(claimed: ClaimedAttempt, signal: AbortSignal): Promise<void> {
    const context = await contextOf(claimed.run_id);
    const onStored = (): void => events.changed(claimed.run_id, "progress");
    const { run_drained } = await executeAttempt(claimed, { store, queue, context, signal, onStored });
    if (run_drained) await conclude(claimed.run_id);
  }

  async function conclude(runId: string): Promise<void> {
    await concludeRun(runId, { store, now });
    events.changed(runId, "end");
  }

  async function get(id: string, owner: string | null): Promise<RunRecord> {
    const run = await store.runs.get(id);
    if (!run || run.owner !== owner) throw new ServiceError("run_not_found", `There is no run "${id.slice(0, 80)}".`);
    return run;
  }

  async function cancel(id: string, owner: string | null): Promise<RunRecord> {
    const run = await get(id, owner);
    if (!(await store.runs.cancel(id))) {
      throw new ServiceError("run_already_finished", `The run ${id} has already ended (${run.state}).`);
    }
    worker.abandon(id);
    await concludeDrained();
    return get(id, owner);
  }

  /** A run ends with its last attempt; one that was cancelled while nothing ran, or whose worker died then, ends here. */
  async function concludeDrained(): Promise<void> {
    for (const id of await store.runs.unconcluded()) await conclude(id);
  }

  return {
    get,
    cancel,
    list: (filter) => store.runs.list(filter),
    wait: (id, signal) => waitForRun(id, { store, events, signal }),
    follow: (id, followOptions) => followRun(id, { store, events, ...followOptions }),
    results: (run) => readResults(run, { store, now }),
    create({ scenarios, ...settings }, { warnings, idempotency, owner }) {
      const demo = isDemo(settings);
      return store.runs.create({
        id: newId(),
        settings,
        scenarios,
        warnings,
        demo,
        idempotency,
        owner,
        created_at: now(),
      });
    },
    async remove(id, owner, signal) {
      const run = await get(id, owner);
      if (!finalStates.has(run.state)) {
        await cancel(id, owner);
        await waitForRun(id, { store, events, signal });
      }
      await store.runs.remove(id);
    },
    async start() {
      await queue.recover();
      await concludeDrained();
      worker.start();
    },
    stop: (stopOptions) => worker.stop(stopOptions),
  };
}
