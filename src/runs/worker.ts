import { setTimeout as sleep } from "node:timers/promises";
import { isShuttingDown } from "../contract/errors.ts";
import type { ClaimedAttempt, ClaimOptions, Queue } from "../contract/ports/queue.ts";
import { LeaseLost } from "./lease-lost.ts";
import { OutOfMemory } from "./out-of-memory.ts";

export interface WorkerOptions {
  readonly id: string;
  readonly queue: Queue;
  /**
   * Runs one attempt to its end. Rejects when `signal` aborts or the store fails. Calls `ending` when what is left takes
   * moments: the place is as good as free then.
   */
  readonly execute: (claimed: ClaimedAttempt, control: AttemptControl) => Promise<void>;
  /** Attempts held at once, and at most so many of one run unless the run asks for more. */
  readonly capacity: number;
  readonly perRun: number;
  /** Attempts held beyond `capacity`, of owners whom others leave no place. Default: none. */
  readonly spare?: number | undefined;
  /** Works on these runs alone. Default: on any that waits. */
  readonly runs?: ReadonlySet<string> | undefined;
  readonly onError: (error: unknown) => void;
  /** Called when an attempt was given back unfinished: its run may have been cancelled and be over now. */
  readonly onReleased: (runId: string) => Promise<void>;
  /** Called at every poll, never twice at once: for what no event tells of. */
  readonly onPoll?: () => Promise<void>;
  readonly heartbeatMs?: number;
  readonly pollMs?: number;
  /**
   * How long a stop waits for a claim that is under way, and until what is left has been given back. Where the store is away neither can
   * be done: others take it over when its lease has ended.
   */
  readonly giveBackMs?: number;
  /** Whether an error is the attempt's own. Default: any is. What is not says nothing about whether it can be carried out. */
  readonly isBreak?: (error: unknown) => boolean;
  /** Called when an attempt broke so often, this time included, that it is not tried again. */
  readonly onBroken: (claimed: ClaimedAttempt, error: unknown) => Promise<void>;
}

export interface AttemptControl {
  readonly signal: AbortSignal;
  readonly ending: () => void;
}

interface Worker {
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
  ending: boolean;
}

/**
 * So often the execution of an attempt may break, whichever workers tried: with the rests between, it has had over a minute by
 * then. Each try may ask the model anew and is paid for, so trying for ever is worse than to say that it does not work.
 */
const mostBreaks = 5;
/** How long an attempt rests after its execution broke for the first time: four times as long after each further time. */
const retryDelayMs = 1_000;

/** From so many heartbeats without one on, the leases held may have expired. */
const lateHeartbeats = 1.5;

/** Claims attempts from the queue and executes them side by side, keeping its leases alive meanwhile. */
export function createWorker({
  id,
  queue,
  execute,
  capacity,
  perRun,
  spare = 0,
  runs,
  onError,
  onReleased,
  onPoll = async () => {},
  heartbeatMs = 5_000,
  pollMs = 1_000,
  giveBackMs = 5_000,
  isBreak = () => true,
  onBroken,
}: WorkerOptions): Worker {
  const held = new Set<Held>();
  /** Those by their attempt; of one that was claimed twice, the later claim. */
  const latest = new Map<string, Held>();
  /** How many of the held attempts have only their end to be written. */
  let endingCount = 0;
  let running = false;
  let pumping: Promise<void> | null = null;
  let again = false;
  /** Whether a claim is due though every place is taken: there may be an owner for whom the spare ones are. */
  let looksForOthers = false;
  let whenIdle: (() => void) | null = null;
  let polling: Promise<void> | null = null;
  /** When the leases held were renewed last. */
  let renewedAt = Number.NEGATIVE_INFINITY;
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

  /**
   * Counted anew when the claim is carried out: more attempts may be at their end by then. Those may be as many as the others,
   * and no more: a model may be quicker than what follows its replies.
   */
  const claim: ClaimOptions = {
    worker: id,
    perRun,
    spare,
    runs,
    get busy() {
      return held.size > 0;
    },
    get limit() {
      return Math.min(capacity - (held.size - endingCount), 2 * capacity - held.size);
    },
  };

  const worksAlone = (): boolean => held.values().some(({ claimed }) => claimed.alone);

  async function claimMore(): Promise<void> {
    if (worksAlone()) return;
    if (claim.limit <= (looksForOthers ? -spare : 0)) return;
    looksForOthers = false;
    // A claim takes back what has expired. After a time in which this process was stopped, or could write nothing, that would be
    // its own attempts, and the replies it holds would be asked for again.
    if (held.size === 0) renewedAt = performance.now();
    else if (performance.now() - renewedAt > heartbeatMs * lateHeartbeats) await heartbeat();
    for (const attempt of await queue.claim(claim)) hold(attempt);
  }

  function hold(claimed: ClaimedAttempt): void {
    const entry: Held = { claimed, controller: new AbortController(), ending: false };
    const { attempt_id } = claimed.lease;
    // A machine that slept has lost its leases, and may be given what it is still working on.
    latest.get(attempt_id)?.controller.abort();
    held.add(entry);
    latest.set(attempt_id, entry);
    if (!running || abandonedMeanwhile.has(claimed.run_id)) entry.controller.abort();
    void work(entry).finally(() => {
      if (entry.ending) endingCount -= 1;
      held.delete(entry);
      if (latest.get(attempt_id) === entry) latest.delete(attempt_id);
      if (held.size === 0) whenIdle?.();
      // It had a spare place.
      if (claim.limit <= 0) looksForOthers = true;
      pump();
    });
  }

  function end(entry: Held): void {
    if (entry.ending || !queue.claimsFollowEnds) return;
    entry.ending = true;
    endingCount += 1;
    pump();
  }

  async function work(entry: Held): Promise<void> {
    const { claimed, controller } = entry;
    const { signal } = controller;
    if (claimed.alone && claimed.breaks >= mostBreaks) return giveUp(claimed).catch(onError);
    try {
      await execute(claimed, { signal, ending: () => end(entry) });
    } catch (error) {
      const aborted = signal.aborted || isShuttingDown(error);
      // Where a run was cancelled elsewhere, the write of a turn may hear of it first: that is as little a failure as an abort.
      if (!aborted && !(error instanceof LeaseLost)) onError(error);
      await giveBack(claimed, { error, aborted }).catch(onError);
    }
  }

  async function giveBack(
    claimed: ClaimedAttempt,
    { error, aborted }: { error: unknown; aborted: boolean },
  ): Promise<void> {
    const { lease, run_id, breaks } = claimed;
    const broke = !aborted && isBreak(error);
    await queue.release(lease, { delay_ms: aborted ? 0 : retryDelayMs * (broke ? 4 ** breaks : 1), broke });
    if (broke && breaks + 1 >= mostBreaks) await onBroken({ ...claimed, breaks: breaks + 1 }, error);
    await onReleased(run_id);
  }

  /** It took all memory for the last time, of which its process could tell nobody any more. Held until its run has ended, so that nothing else begins. */
  async function giveUp(claimed: ClaimedAttempt): Promise<void> {
    try {
      await onBroken(claimed, new OutOfMemory());
    } finally {
      await queue.release(claimed.lease, { delay_ms: retryDelayMs });
    }
    await onReleased(claimed.run_id);
  }

  function poll(): void {
    looksForOthers = true;
    pump();
    polling ??= onPoll()
      .catch(onError)
      .finally(() => (polling = null));
  }

  function abandon(runId: string): void {
    if (pumping) abandonedMeanwhile.add(runId);
    for (const { claimed, controller } of held) if (claimed.run_id === runId) controller.abort();
  }

  async function heartbeat(): Promise<void> {
    const began = performance.now();
    if (held.size > 0) await renew(new Map(latest));
    renewedAt = began;
  }

  async function renew(asked: ReadonlyMap<string, Held>): Promise<void> {
    const leases = [...asked.values()].map(({ claimed }) => claimed.lease);
    for (const lost of await queue.heartbeat(id, leases)) asked.get(lost)?.controller.abort();
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
      const deadline = performance.now() + graceMs;
      clearInterval(timers.shift());
      await Promise.race([Promise.all([pumping, polling]), sleep(giveBackMs, undefined, { ref: false })]);
      await idle(deadline - performance.now());
      for (const { controller } of held) controller.abort();
      await idle(deadline + giveBackMs - performance.now());
      for (const timer of timers.splice(0)) clearInterval(timer);
      for (const unsubscribe of subscriptions.splice(0)) unsubscribe();
    },
  };

  /** Resolves when nothing is held any more, or after `limitMs`. */
  function idle(limitMs: number): Promise<void> {
    if (held.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, limitMs));
      whenIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
