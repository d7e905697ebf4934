interface SweepOptions {
  /** Looks for workers that have fallen silent or died, and how often. 0: never. */
  readonly sweep: () => Promise<unknown>;
  readonly sweepMs: number;
  /** Compares jobs with rows, and how often. */
  readonly reconcile: () => Promise<unknown>;
  readonly reconcileMs: number;
  readonly onError: (error: unknown) => void;
}

/** Runs both again and again, each after a rest. */
export function startSweeps(options: SweepOptions): { stop(): Promise<void> } {
  const running = [every(options.sweepMs, options.sweep), every(options.reconcileMs, options.reconcile)];

  function every(ms: number, work: () => Promise<unknown>): { stop(): Promise<void> } {
    let timer: NodeJS.Timeout | undefined;
    let underWay: Promise<unknown> = Promise.resolve();
    let stopped = ms <= 0;
    const next = (): void => {
      // The spread keeps processes that started together from sweeping together.
      if (!stopped) timer = setTimeout(run, ms * (0.8 + 0.4 * Math.random())).unref();
    };
    const run = (): void => {
      underWay = work().catch(options.onError).finally(next);
    };
    next();
    return {
      async stop() {
        stopped = true;
        clearTimeout(timer);
        await underWay;
      },
    };
  }

  return {
    async stop() {
      await Promise.all(running.map((one) => one.stop()));
    },
  };
}
