/**
 * Asks for `work` to be done. It begins a little later, and what is asked for until then is one piece of work: a burst does not
 * multiply it, and a stream that never pauses does not put it off. Never two at the same time. `work` does not reject.
 */
export function onceCalm(
  work: () => Promise<void>,
  { pauseMs, signal }: { pauseMs: number; signal: AbortSignal },
): () => void {
  let isDue = false;
  let isBusy = false;

  const run = async (): Promise<void> => {
    isBusy = true;
    while (isDue && !signal.aborted) {
      await pause(pauseMs);
      isDue = false;
      if (!signal.aborted) await work();
    }
    isBusy = false;
  };

  return () => {
    isDue = true;
    if (!isBusy) void run();
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());
