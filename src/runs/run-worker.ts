import type { Runs } from "./runs.ts";

/** Something done beside the runs until the signal says stop: tidying, backups, webhooks. Resolves soon after it. */
export type Chore = (signal: AbortSignal) => Promise<void>;

export interface WorkerProcessOptions {
  readonly runs: Pick<Runs, "start" | "stop">;
  readonly chores?: readonly Chore[];
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
export async function runWorker({
  runs,
  chores = [],
  signal,
  graceMs,
  onStarted = () => {},
}: WorkerProcessOptions): Promise<void> {
  await runs.start();
  onStarted();
  const beside = Promise.all(chores.map((chore) => chore(signal)));
  await stopped(signal);
  await runs.stop({ graceMs });
  await beside;
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
