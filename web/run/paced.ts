interface Paced {
  trigger(): void;
  stop(): void;
}

/**
 * Runs `work` when triggered, once at a time, and rests after each for `rest` times as long as it took:
 * reading a large run again and again while it grows never fills the machine.
 */
export function paced(work: () => Promise<unknown>, { rest = 4, minimum = 600 } = {}): Paced {
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
