interface Throttle {
  trigger(): void;
  stop(): void;
}

/**
 * Runs `work` when triggered, one at a time, and pauses after each for `rest` times its duration, so that reloading a large run
 * while it grows cannot saturate the machine.
 */
export function createThrottle(work: () => Promise<unknown>, { rest = 4, minimum = 600 } = {}): Throttle {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let busy = false;
  let again = false;
  let stopped = false;

  const run = (): void => {
    busy = true;
    again = false;
    const started = performance.now();
    void work().finally(() => {
      const pause = Math.max(minimum, (performance.now() - started) * rest);
      if (!stopped) timer = setTimeout(wake, pause);
    });
  };
  const wake = (): void => {
    busy = false;
    if (again) run();
  };

  return {
    trigger() {
      if (busy) again = true;
      else if (!stopped) run();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
