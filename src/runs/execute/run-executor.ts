import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimedAttempt } from "../../contract/ports/queue.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import type { RunEvents } from "../results/run-events.ts";
import type { RunServices } from "../run-services.ts";
import { isTransient } from "../stored/attempt-errors.ts";
import { createConcluder, failAbandonedRun, failRun } from "./conclude-run.ts";
import { executeAttempt } from "./execute-attempt.ts";
import { createRunContexts, type CreateRunScoring, type RunContext } from "./run-context.ts";
import { withMemory } from "./run-memory.ts";
import type { StoreOutageMonitor } from "../stored/store-outage.ts";
import { createWorker, type AttemptControl } from "./worker.ts";

interface ExecutorParts {
  /** Slots beyond `concurrency.global`, for owners who get none because of others. */
  readonly spare: number;
  readonly now: () => number;
  /** Creates models whose calls wait for a slot of this process. */
  readonly createModel: RunServices["createModel"];
  readonly createScoring: CreateRunScoring;
  readonly events: RunEvents;
  readonly storeOutage: StoreOutageMonitor;
}

/**
 * Attempts held beyond the concurrent calls, so that a slot is reused while a reply is stored. Zero when several processes share
 * a queue: another process could execute the attempt.
 */
const heldAhead = 0.25;
/** How long a cancellation waits for the end of the run. */
const concludeWithinMs = 100;

/** Executes runs in this process: a worker claims attempts, and the last attempt of a run concludes it. */
export class RunExecutor {
  readonly #services: RunServices;
  readonly #parts: ExecutorParts;
  readonly #ownRuns: Set<string> | undefined;
  readonly #contexts: ReturnType<typeof createRunContexts>;
  readonly #concluder: ReturnType<typeof createConcluder>;
  readonly #worker: ReturnType<typeof createWorker>;

  constructor(services: RunServices, parts: ExecutorParts) {
    const { store, queue, concurrency } = services;
    const { now } = parts;
    this.#services = services;
    this.#parts = parts;
    this.#ownRuns = services.ownRuns && new Set(services.ownRuns);
    this.#contexts = createRunContexts(services, parts);
    this.#concluder = createConcluder({
      store,
      now,
      figuresOf: this.#contexts.figuresOf,
      onEnd: (runId) => this.#ended(runId),
    });
    this.#worker = createWorker({
      id: services.workerId,
      queue,
      execute: (claimed, control) => this.#execute(claimed, control),
      capacity: concurrency.global + (queue.claimsFollowEnds ? Math.ceil(concurrency.global * heldAhead) : 0),
      perRun: concurrency.perRun,
      spare: parts.spare,
      runs: this.#ownRuns,
      onError: (error) => this.#failed(error),
      isBreak: (error) => !isTransient(error),
      onBroken: (claimed, error) => this.#fail(claimed, error),
      // A poll concludes runs that were cancelled while idle or whose worker died.
      onReleased: () => this.#concluder.concludeDrained(),
      onPoll: async () => {
        await this.#failAbandoned();
        await this.#concluder.concludeForgotten();
      },
      heartbeatMs: services.heartbeatMs,
    });
  }

  async start(): Promise<void> {
    const { queue, onError, ownRuns = [] } = this.#services;
    for (const id of ownRuns) await this.#carry(id);
    // Polls and claims repeat this, so a store that fails right now does not prevent the start.
    await queue.recover().then(this.#concluder.concludeDrained).catch(onError);
    this.#worker.start();
  }

  stop(options: { graceMs: number }): Promise<void> {
    return this.#worker.stop(options);
  }

  /** Prepares for a run that is about to be stored. */
  expect(runId: string, scenarios: readonly Scenario[]): void {
    this.#ownRuns?.add(runId);
    this.#contexts.created(runId, scenarios);
  }

  /** Undoes `expect` for a run that was not stored. */
  forget(runId: string): void {
    this.#contexts.forget(runId);
  }

  /** Continues a stored run, if this process executes only its own runs. Otherwise any worker does. */
  async resume(runId: string): Promise<void> {
    if (!this.#ownRuns) return;
    await this.#carry(runId);
    this.#worker.wake();
  }

  /** Executes the run here, the other side of its comparison, and the other variants. */
  async #carry(runId: string): Promise<void> {
    const { store } = this.#services;
    const { sequence, experiment } = (await store.runs.get(runId))?.settings ?? {};
    const opponent = sequence?.opponent;
    for (const id of new Set([runId, ...(opponent === undefined ? [] : [opponent]), ...(experiment?.runs ?? [])])) {
      this.#ownRuns?.add(id);
      await store.runs.carry(id);
    }
  }

  /** Returns false when the run has already ended. */
  async cancel(runId: string): Promise<boolean> {
    const { store, onError } = this.#services;
    if (!(await store.runs.cancel(runId))) return false;
    this.#worker.abandon(runId);
    // Small runs end within this time; computing the figures of a large one takes longer.
    const concluded = this.#concluder.concludeDrained().catch(onError);
    await Promise.race([concluded, sleep(concludeWithinMs, null, { ref: false })]);
    return true;
  }

  /** Reports a write that the store refused. Only the first try is logged. */
  reportRefusal(error: unknown, times: number): void {
    if (times === 1) this.#failed(error);
    else this.#parts.storeOutage.failed(error);
  }

  #execute(claimed: ClaimedAttempt, { signal, ending: onEnding }: AttemptControl): Promise<void> {
    const { store, queue, memory, onError } = this.#services;
    const { events, storeOutage } = this.#parts;
    const onStored = (): void => {
      storeOutage.over();
      events.changed(claimed.run_id, "progress");
    };
    const onRefused = (error: unknown, times: number): void => this.reportRefusal(error, times);
    const executeWith = async (context: RunContext): Promise<void> => {
      const execution = { store, queue, context, signal, onStored, onEnding, onError, onRefused };
      const { run_drained } = await executeAttempt(claimed, execution);
      if (run_drained) await this.#concluder.conclude(claimed.run_id);
    };
    return this.#contexts.during(
      claimed.run_id,
      (context) => withMemory(context, { memory, scenarioIndex: claimed.scenario_index, signal }, executeWith),
      signal,
    );
  }

  #failed(error: unknown): void {
    this.#services.onError(error);
    this.#parts.storeOutage.failed(error);
  }

  /** Ends a run as failed because of an attempt that failed too often. */
  async #fail(claimed: ClaimedAttempt, error: unknown): Promise<void> {
    const { store } = this.#services;
    const { now } = this.#parts;
    if (!(await failRun(claimed, { store, now, error }))) return;
    this.#worker.abandon(claimed.run_id);
    this.#ended(claimed.run_id);
  }

  async #failAbandoned(): Promise<void> {
    const { store, queue } = this.#services;
    const { now } = this.#parts;
    for (const runId of queue.takeAbandoned?.() ?? []) {
      if (!(await failAbandonedRun(runId, { store, now }))) continue;
      this.#worker.abandon(runId);
      this.#ended(runId);
    }
  }

  #ended(runId: string): void {
    this.#contexts.forget(runId);
    this.#parts.events.changed(runId, "end");
  }
}
