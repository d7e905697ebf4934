import type { RunChange, RunEvents } from "./run-events.ts";

export interface NextChangeOptions {
  readonly events: RunEvents;
  readonly signal: AbortSignal;
  /** After this long the store is looked at anyway: other processes change it without telling us. */
  readonly pollMs: number;
  readonly isWanted?: (change: RunChange) => boolean;
}

/**
 * Starts listening at once, so that nothing that happens while the store is being read is missed. Tells what happened;
 * null when it was time to look anyway.
 */
export function nextChange(
  runId: string,
  { events, signal, pollMs, isWanted = () => true }: NextChangeOptions,
): { happened: Promise<RunChange | null>; stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<RunChange | null>();
  const wake = (): void => resolve(null);
  const timer = setTimeout(wake, pollMs);
  const unsubscribe = events.subscribe(runId, (change) => isWanted(change) && resolve(change));
  signal.addEventListener("abort", wake, { once: true });
  return {
    happened: promise,
    stop() {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener("abort", wake);
    },
  };
}
