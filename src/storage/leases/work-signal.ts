import type { Clock } from "../clock.ts";
import type { Reader } from "../database.ts";
import { hasWork } from "./claim.ts";

/** How often to look whether another process has committed something: a few microseconds each time. */
const lookEveryMs = 25;

export interface WorkSignal {
  /** Calls every listener, after the caller's own code has run on. */
  announce(): void;
  listen(wake: () => void): () => void;
  stop(): void;
}

export interface WorkSource {
  readonly reader: Reader;
  changedElsewhere(): boolean;
}

/** Wakes workers when work may be waiting: at once for work of this process, within a moment for that of others. */
export function createWorkSignal(source: WorkSource, clock: Clock): WorkSignal {
  const listeners = new Set<() => void>();
  let timer: NodeJS.Timeout | null = null;
  let looking = false;

  function announce(): void {
    queueMicrotask(() => {
      for (const wake of listeners) wake();
    });
  }

  /** Most commits of others are stored turns: only those that left something to claim are passed on. */
  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      if (source.changedElsewhere() && (await hasWork(source.reader, clock.steady()))) announce();
    } catch {
      // A store that cannot be read is noticed by whoever reads it next; workers poll on their own as well.
    } finally {
      looking = false;
    }
  }

  function stop(): void {
    if (timer) clearInterval(timer);
    timer = null;
  }

  return {
    announce,
    listen(wake) {
      // Wrapped, so that the same function may listen twice and leave once.
      const listener = (): void => wake();
      listeners.add(listener);
      timer ??= setInterval(() => void look(), lookEveryMs).unref();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    stop() {
      listeners.clear();
      stop();
    },
  };
}
