import type { ClaimedAttempt, Queue } from "../contract/queue.ts";

export interface WorkerOptions {
  readonly id: string;
  readonly queue: Queue;
  /** Runs one attempt to its end. Rejects when `signal` aborts or the store fails. */
  readonly execute: (claimed: ClaimedAttempt, signal: AbortSignal) => Promise<void>;
  /** Attempts held at once, and at most so many of one run unless the run asks for more. */
  readonly capacity: number;
  readonly perRun: number;
  readonly onError: (error: unknown) => void;
  /** Called when an attempt was given back unfinished: its run may have been cancelled and be over now. */
  readonly onReleased: (runId: string) => Promise<void>;
  /** Called at every poll, never twice at once: for what no event tells of. */
  readonly onPoll?: () => Promise<void>;
  readonly heartbeatMs?: number;
  readonly pollMs?: number;
  /** How long an attempt rests after its execution broke. */
  readonly retryDelayMs?: number;
}

export interface Worker {
  start(): void;
  /** Takes no more work, lets the held attempts end for `graceMs`, then gives the rest back. */
  stop(options: { graceMs: number }): Promise<void>;
  /** Looks for work now rather than at the next poll. */
  wake(): void;
  /** Aborts what this worker does for a run that was cancelled. */
  abandon(runId: string): void;
}

interface Held {
  readonly claimed: ClaimedAttempt;
  readonly controller: AbortController;
}

/** Claims attempts from the queue and executes them side by side, keeping its leases alive meanwhile. */
export function createWorker({
  id,
  queue,
  execute,
  capacity,
  perRun,
  onError,
  onReleased,
  onPoll = async () => {},
  heartbeatMs = 5_000,
  pollMs = 1_000,
  retryDelayMs = 1_000,
}: WorkerOptions): Worker {
  const held = new Map<string, Held>();
  let running = false;
  let pumping: Promise<void> | null = null;
  let again = false;
  let whenIdle: (() => void) | null = null;
  let polling: Promise<void> | null = null;
  /** Runs that were cancelled while a claim is under way: what it brings of them is not begun. */
  const abandonedMeanwhile = new Set<string>();
  const timers: NodeJS.Timeout[] = [];
  const subscriptions: (() => void)[] = [];

  /** One claim at a time; a wake-up during a claim leads to one more. */
  function pump(): void {
    if (!running) return;
    if (pumping) {
      again = true;
      return;
    }
    pumping = claimMore()
      .catch(onError)
      .finally(() => {
        pumping = null;
        abandonedMeanwhile.clear();
        if (!again) return;
        again = false;
        pump();
      });
  }

  async function claimMore(): Promise<void> {
    const limit = capacity - held.size;
    if (limit <= 0) return;
    const claimed = await queue.claim({ worker: id, limit, perRun });
    for (const attempt of claimed) hold(attempt);
  }

  function hold(claimed: ClaimedAttempt): void {
    const controller = new AbortController();
    held.set(claimed.lease.attempt_id, { claimed, controller });
    if (abandonedMeanwhile.has(claimed.run_id)) controller.abort();
    void work(claimed, controller.signal).finally(() => {
      held.delete(claimed.lease.attempt_id);
      if (held.size === 0) whenIdle?.();
      pump();
    });
  }

  async function work(claimed: ClaimedAttempt, signal: AbortSignal): Promise<void> {
    try {
      await execute(claimed, signal);
    } catch (error) {
      if (!signal.aborted) onError(error);
      await giveBack(claimed, signal.aborted ? 0 : retryDelayMs).catch(onError);
    }
  }

  async function giveBack({ lease, run_id }: ClaimedAttempt, delay_ms: number): Promise<void> {
    await queue.release(lease, { delay_ms });
    await onReleased(run_id);
  }

  function poll(): void {
    pump();
    polling ??= onPoll()
      .catch(onError)
      .finally(() => (polling = null));
  }

  function abandon(runId: string): void {
    if (pumping) abandonedMeanwhile.add(runId);
    for (const { claimed, controller } of held.values()) if (claimed.run_id === runId) controller.abort();
  }

  async function heartbeat(): Promise<void> {
    if (held.size === 0) return;
    const leases = [...held.values()].map((entry) => entry.claimed.lease);
    for (const lost of await queue.heartbeat(id, leases)) held.get(lost)?.controller.abort();
  }

  return {
    start() {
      running = true;
      subscriptions.push(queue.onWork(pump), queue.onCancel(abandon));
      timers.push(
        setInterval(poll, pollMs),
        setInterval(() => void heartbeat().catch(onError), heartbeatMs),
      );
      for (const timer of timers) timer.unref();
      pump();
    },
    wake: pump,
    abandon,
    async stop({ graceMs }) {
      running = false;
      clearInterval(timers.shift());
      await Promise.all([pumping, polling]);
      await idle(graceMs);
      for (const { controller } of held.values()) controller.abort();
      await idle(Number.POSITIVE_INFINITY);
      for (const timer of timers.splice(0)) clearInterval(timer);
      for (const unsubscribe of subscriptions.splice(0)) unsubscribe();
    },
  };

  /** Resolves when nothing is held any more, or after `limitMs`. */
  function idle(limitMs: number): Promise<void> {
    if (held.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = Number.isFinite(limitMs) ? setTimeout(resolve, limitMs) : undefined;
      whenIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
