import { setTimeout as sleep } from "node:timers/promises";
import { isShuttingDown } from "../../contract/errors/errors.ts";
import type { ClaimedAttempt, ClaimOptions, Queue } from "../../contract/ports/queue.ts";
import { LeaseLost, Postponed, ProcessBroken } from "../stored/attempt-errors.ts";

export interface WorkerOptions {
  readonly id: string;
  readonly queue: Queue;
  /**
   * Executes one attempt to its end. Rejects when `signal` aborts or the store fails. Calls `ending` when only moments of work are
   * left, so that the next attempt can be claimed.
   */
  readonly execute: (claimed: ClaimedAttempt, control: AttemptControl) => Promise<void>;
  /** The greatest number of concurrent attempts, in total and of one run unless the run asks for more. */
  readonly capacity: number;
  readonly perRun: number;
  /** Attempts beyond `capacity`, for owners who get no slot because of others. Default: 0. */
  readonly spare?: number | undefined;
  /** Works only on these runs. Default: on any. */
  readonly runs?: ReadonlySet<string> | undefined;
  readonly onError: (error: unknown) => void;
  /** Called when an attempt was released unfinished: its run may have been cancelled and be over. */
  readonly onReleased: (runId: string) => Promise<void>;
  /** Called at every poll, but never concurrently. */
  readonly onPoll?: () => Promise<void>;
  readonly heartbeatMs?: number;
  readonly pollMs?: number;
  /**
   * How long a stop waits for a claim in progress, and for the release of the remaining attempts. While the store is unavailable
   * neither succeeds, and other workers take over when the leases expire.
   */
  readonly giveBackMs?: number;
  /** True when an error is the attempt's own fault. Default: every error is. */
  readonly isBreak?: (error: unknown) => boolean;
  /** Called when an attempt has failed too often to be tried again. */
  readonly onBroken: (claimed: ClaimedAttempt, error: unknown) => Promise<void>;
}

export interface AttemptControl {
  readonly signal: AbortSignal;
  readonly ending: () => void;
}

interface Worker {
  start(): void;
  /** Claims nothing more, lets attempts in progress end within `graceMs`, then releases the rest. */
  stop(options: { graceMs: number }): Promise<void>;
  /** Looks for work now instead of at the next poll. */
  wake(): void;
  /** Aborts the attempts of a cancelled run. */
  abandon(runId: string): void;
}

/**
 * How often an attempt may fail, on any worker: with the pauses in between it has had over a minute. Every try may call the model and
 * costs money, so failing is better than trying for ever.
 */
const mostBreaks = 5;
/** The pause after the first failure of an attempt; four times as long after each further one. */
const retryDelayMs = 1_000;

/** After so many heartbeat intervals without a renewal, held leases may have expired. */
const lateHeartbeats = 1.5;

/** Claims attempts from the queue and executes them concurrently while renewing their leases. */
export function createWorker(options: WorkerOptions): Worker {
  return new QueueWorker(options);
}

class QueueWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #heartbeatMs: number;
  readonly #spare: number;
  readonly #held: HeldAttempts;
  readonly #claimOptions: ClaimOptions;
  #isRunning = false;

  #claiming: Promise<void> | null = null;
  /** True when a wake-up came during a claim. */
  #claimAgain = false;
  /** True when the spare slots may be claimed, for another owner. */
  #claimSpare = false;
  /** Runs that were cancelled during a claim: their attempts are aborted at once. */
  readonly #abandonedMeanwhile = new Set<string>();

  #polling: Promise<void> | null = null;
  /** When the held leases were last renewed. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #subscriptions: (() => void)[] = [];

  constructor(options: WorkerOptions) {
    const { id, perRun, runs, capacity, spare = 0, heartbeatMs = 5_000 } = options;
    const held = new HeldAttempts(capacity);
    this.#options = options;
    this.#heartbeatMs = heartbeatMs;
    this.#spare = spare;
    this.#held = held;
    this.#claimOptions = {
      worker: id,
      perRun,
      spare,
      runs,
      // Read when the claim is executed: more attempts may be ending by then.
      get busy() {
        return held.size > 0;
      },
      get limit() {
        return held.freeSlots;
      },
    };
  }

  start(): void {
    const { queue, onError, pollMs = 1_000 } = this.#options;
    this.#isRunning = true;
    this.#subscriptions.push(
      queue.onWork(() => this.wake()),
      queue.onCancel((runId) => this.abandon(runId)),
    );
    this.#timers.push(
      setInterval(() => this.#poll(), pollMs),
      setInterval(() => void this.#heartbeat().catch(onError), this.#heartbeatMs),
    );
    for (const timer of this.#timers) timer.unref();
    this.wake();
  }

  async stop({ graceMs }: { graceMs: number }): Promise<void> {
    const { giveBackMs = 5_000 } = this.#options;
    this.#isRunning = false;
    const deadline = performance.now() + graceMs;
    // The poll timer; heartbeats continue while attempts are held.
    clearInterval(this.#timers.shift());
    await Promise.race([Promise.all([this.#claiming, this.#polling]), sleep(giveBackMs, undefined, { ref: false })]);
    await this.#held.untilEmpty(deadline - performance.now());
    this.#held.abort();
    await this.#held.untilEmpty(deadline + giveBackMs - performance.now());
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    for (const unsubscribe of this.#subscriptions.splice(0)) unsubscribe();
  }

  /** One claim at a time; a wake-up during a claim causes one more. */
  wake(): void {
    if (!this.#isRunning) return;
    if (this.#claiming) {
      this.#claimAgain = true;
      return;
    }
    this.#claiming = this.#claim()
      .catch(this.#options.onError)
      .finally(() => {
        this.#claiming = null;
        this.#abandonedMeanwhile.clear();
        if (!this.#claimAgain) return;
        this.#claimAgain = false;
        this.wake();
      });
  }

  abandon(runId: string): void {
    if (this.#claiming) this.#abandonedMeanwhile.add(runId);
    this.#held.abort(runId);
  }

  async #claim(): Promise<void> {
    if (this.#held.worksAlone) return;
    if (this.#held.freeSlots <= (this.#claimSpare ? -this.#spare : 0)) return;
    this.#claimSpare = false;
    // A claim takes back expired leases. If this process was suspended or could not write, those are its own attempts, and their
    // replies would be requested again.
    if (this.#held.size === 0) this.#renewedAt = performance.now();
    else if (performance.now() - this.#renewedAt > this.#heartbeatMs * lateHeartbeats) await this.#heartbeat();
    for (const attempt of await this.#options.queue.claim(this.#claimOptions)) this.#hold(attempt);
  }

  #hold(claimed: ClaimedAttempt): void {
    const attempt = this.#held.add(claimed);
    if (!this.#isRunning || this.#abandonedMeanwhile.has(claimed.run_id)) attempt.controller.abort();
    void this.#work(attempt).finally(() => {
      this.#held.remove(attempt);
      // The attempt had a spare slot.
      if (this.#held.freeSlots <= 0) this.#claimSpare = true;
      this.wake();
    });
  }

  async #work(attempt: HeldAttempt): Promise<void> {
    const { execute, onError } = this.#options;
    const { claimed, controller } = attempt;
    const { signal } = controller;
    if (claimed.fatal) return this.#giveUp(claimed).catch(onError);
    try {
      await execute(claimed, { signal, ending: () => this.#markEnding(attempt) });
    } catch (error) {
      const aborted = signal.aborted || isShuttingDown(error);
      // A run cancelled elsewhere shows up as a lost lease, which is as normal as an abort.
      if (!aborted && !(error instanceof LeaseLost) && !(error instanceof Postponed)) onError(error);
      await this.#release(claimed, { error, aborted }).catch(onError);
    }
  }

  #markEnding(attempt: HeldAttempt): void {
    if (this.#options.queue.claimsFollowEnds && this.#held.markEnding(attempt)) this.wake();
  }

  async #release(claimed: ClaimedAttempt, { error, aborted }: { error: unknown; aborted: boolean }): Promise<void> {
    const { queue, isBreak = () => true, onBroken, onReleased } = this.#options;
    const { lease, run_id, breaks } = claimed;
    const broke = !aborted && isBreak(error);
    await queue.release(lease, { delay_ms: aborted ? 0 : retryDelayMs * (broke ? 4 ** breaks : 1), broke });
    if (broke && breaks + 1 >= mostBreaks) await onBroken({ ...claimed, breaks: breaks + 1 }, error);
    await onReleased(run_id);
  }

  /** Fails an attempt that broke its process. It is held until its run has ended, so that nothing else starts. */
  async #giveUp(claimed: ClaimedAttempt): Promise<void> {
    const { queue, onBroken, onReleased } = this.#options;
    try {
      await onBroken(claimed, new ProcessBroken());
    } finally {
      await queue.release(claimed.lease, { delay_ms: retryDelayMs });
    }
    await onReleased(claimed.run_id);
  }

  #poll(): void {
    const { onPoll = async () => {}, onError } = this.#options;
    this.#claimSpare = true;
    this.wake();
    this.#polling ??= onPoll()
      .catch(onError)
      .finally(() => (this.#polling = null));
  }

  async #heartbeat(): Promise<void> {
    const { queue, id } = this.#options;
    const startedAt = performance.now();
    if (this.#held.size > 0) {
      const renewed = this.#held.latest();
      const leases = [...renewed.values()].map(({ claimed }) => claimed.lease);
      for (const lost of await queue.heartbeat(id, leases)) renewed.get(lost)?.controller.abort();
    }
    this.#renewedAt = startedAt;
  }
}

interface HeldAttempt {
  readonly claimed: ClaimedAttempt;
  readonly controller: AbortController;
  /** True when only its end has to be stored. */
  ending: boolean;
}

/** The attempts that a worker has claimed and not released yet. */
class HeldAttempts {
  readonly #capacity: number;
  readonly #all = new Set<HeldAttempt>();
  /** By attempt id; of an attempt claimed twice, the later claim. */
  readonly #latest = new Map<string, HeldAttempt>();
  #endingCount = 0;
  #onEmpty: (() => void) | null = null;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Ending attempts do not count, but there may be no more of them than of others: a model may be faster than storing its replies. */
  get freeSlots(): number {
    return Math.min(this.#capacity - (this.#all.size - this.#endingCount), 2 * this.#capacity - this.#all.size);
  }

  /** True when an attempt that must run alone is held. */
  get worksAlone(): boolean {
    return this.#all.values().some(({ claimed }) => claimed.alone);
  }

  /** A copy of the latest claims by attempt id. */
  latest(): ReadonlyMap<string, HeldAttempt> {
    return new Map(this.#latest);
  }

  add(claimed: ClaimedAttempt): HeldAttempt {
    const attempt: HeldAttempt = { claimed, controller: new AbortController(), ending: false };
    const { attempt_id } = claimed.lease;
    // After a suspension this process may claim an attempt that it is still executing.
    this.#latest.get(attempt_id)?.controller.abort();
    this.#all.add(attempt);
    this.#latest.set(attempt_id, attempt);
    return attempt;
  }

  remove(attempt: HeldAttempt): void {
    const { attempt_id } = attempt.claimed.lease;
    if (attempt.ending) this.#endingCount -= 1;
    this.#all.delete(attempt);
    if (this.#latest.get(attempt_id) === attempt) this.#latest.delete(attempt_id);
    if (this.#all.size === 0) this.#onEmpty?.();
  }

  /** False when it was marked before. */
  markEnding(attempt: HeldAttempt): boolean {
    if (attempt.ending) return false;
    attempt.ending = true;
    this.#endingCount += 1;
    return true;
  }

  /** Aborts the attempts of a run, or all. */
  abort(runId?: string): void {
    for (const { claimed, controller } of this.#all) {
      if (runId === undefined || claimed.run_id === runId) controller.abort();
    }
  }

  /** Resolves when no attempt is held, or after `limitMs`. */
  untilEmpty(limitMs: number): Promise<void> {
    if (this.#all.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, limitMs));
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
