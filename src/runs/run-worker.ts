import type { Runs } from "./runs.ts";

interface WorkerProcessOptions {
  readonly runs: Pick<Runs, "start" | "stop">;
  /** SIGTERM, usually. */
  readonly signal: AbortSignal;
  /** Attempts under way may take so long to end before they are given back. */
  readonly graceMs: number;
  readonly onStarted?: () => void;
}

/**
 * The life of a worker: takes attempts until the signal comes, lets those under way end within the grace time, gives the
 * rest back for others to go on with, and resolves. Whoever opened limits and storage closes them then.
 */
export async function runWorker({ runs, signal, graceMs, onStarted = () => {} }: WorkerProcessOptions): Promise<void> {
  await runs.start();
  onStarted();
  await stopped(signal);
  await runs.stop({ graceMs });
}

function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  // A pending promise alone does not keep a process alive, and the timers of a worker do not either.
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
