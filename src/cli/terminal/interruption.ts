/** Turns the first Ctrl-C into an abort, so that finished turns can be stored; a second one exits at once. */
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
    // After an interruption the handler stays: a second Ctrl-C has to end a slow shutdown too.
    stop() {
      if (controller.signal.aborted) return;
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", interrupt);
    },
  };
}
