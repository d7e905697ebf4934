import type { Runs } from "./runs.ts";

interface WorkerProcessOptions {
  readonly runs: Pick<Runs, "start" | "stop">;
  /** SIGTERM, usually. */
  readonly signal: AbortSignal;
  /** How long attempts in progress may take before they are released. */
  readonly graceMs: number;
  readonly onStarted?: () => void;
}

/**
 * Runs a worker until the signal aborts: attempts in progress may finish within the grace period, the rest are released for
 * other workers. The caller closes limits and storage afterwards.
 */
export async function runWorker({ runs, signal, graceMs, onStarted = () => {} }: WorkerProcessOptions): Promise<void> {
  await runs.start();
  onStarted();
  await stopped(signal);
  await runs.stop({ graceMs });
}

function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  // Neither a pending promise nor the worker's timers keep a process alive.
  const alive = setInterval(() => {}, 60_000);
  return new Promise((resolve) => {
    signal.addEventListener(
      "abort",
      () => {
        clearInterval(alive);
        resolve();
      },
      { once: true },
    );
  });
}
