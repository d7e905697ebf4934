/** Turns the first Ctrl-C into an abort, so that what is done can be kept; the second one ends the process at once. */
export function createInterruption(): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  return {
    signal: controller.signal,
    // Once interrupted it stays: the services may need a moment to stop, and a second Ctrl-C must end that too.
    stop() {
      if (controller.signal.aborted) return;
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", interrupt);
    },
  };
}
