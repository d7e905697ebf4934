/** Estimates when places, or bytes, will be free again, from how long they are held. */
export interface WaitEstimator {
  /** Returns the start time, for `end`. */
  begin(amount?: number): number;
  end(begunAt: number, amount?: number): void;
  /** Milliseconds until `ahead` places have been released: for callers with a queue of their own. */
  waitMs(ahead: number): number;
  /**
   * Milliseconds until refused work should return, for `Retry-After`. Each refusal is scheduled behind the ones before it, so that the
   * refused do not all return at once.
   */
  refuse(amount?: number): number;
}

const shortestMs = 1_000;
/** OpenAI's clients ignore a longer `Retry-After`. */
const longestMs = 60_000;
/** Used until something has been released. */
const unknownMs = 2_000;
/** Weight of the earlier releases at each new one: about the last ten count. */
const decay = 0.9;

/**
 * Estimates by Little's law: the release rate is the amount held divided by the time it is held. That time is the average of the latest
 * releases, or the age of what is held now if that is more, since after a slow-down nothing has been released yet.
 */
export function createWaitEstimator(now: () => number = () => performance.now()): WaitEstimator {
  let held = 0;
  /** Sum of the start times, each weighted by its amount. */
  let starts = 0;
  let ended = { ms: 0, amount: 0 };
  /** The time at which everything refused so far is expected to have had its turn. */
  let scheduledUntil = 0;

  /** Milliseconds until this amount has been released; 0 while nothing is held. */
  function releaseMs(amount: number): number {
    if (held === 0) return 0;
    const usual = ended.amount > 0 ? ended.ms / ended.amount : 0;
    return (amount * Math.max(usual, now() - starts / held)) / held;
  }

  function clamp(ms: number): number {
    return Math.min(longestMs, Math.max(ms, ended.amount > 0 ? shortestMs : unknownMs));
  }

  return {
    begin(amount = 1) {
      const begunAt = now();
      held += amount;
      starts += amount * begunAt;
      return begunAt;
    },
    end(begunAt, amount = 1) {
      held -= amount;
      starts = held > 0 ? starts - amount * begunAt : 0;
      ended = { ms: decay * ended.ms + amount * (now() - begunAt), amount: decay * ended.amount + amount };
      // Everything is free: a request that returns now is served.
      if (held === 0) scheduledUntil = 0;
    },
    waitMs: (ahead) => clamp(releaseMs(ahead)),
    refuse(amount = 1) {
      const at = now();
      scheduledUntil = Math.min(Math.max(scheduledUntil, at) + releaseMs(amount), at + longestMs);
      return clamp(scheduledUntil - at);
    },
  };
}
