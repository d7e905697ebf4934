import type { Clock } from "../clock.ts";
import type { Reader } from "../database.ts";
import { cancellingRuns } from "../queries/runs.ts";
import { createWakeUps, type WakeUps } from "../wake-ups.ts";
import { hasWork } from "./claim.ts";

/** How often to look whether another process has committed something: a few microseconds each time. */
const lookEveryMs = 25;

interface WorkSource {
  readonly reader: Reader;
  changedElsewhere(): boolean;
}

type Announcements<News = void> = Pick<WakeUps<News>, "announce" | "listen">;

export interface WorkSignal {
  /** Work may be waiting. */
  readonly work: Announcements;
  /** A run is being cancelled, told by its id. */
  readonly cancels: Announcements<string>;
  stop(): void;
}

/** Wakes workers: at once for what this process does, within a moment for what others do. */
export function createWorkSignal(source: WorkSource, clock: Clock): WorkSignal {
  const work = createWakeUps();
  const cancels = createWakeUps<string>();
  let timer: NodeJS.Timeout | null = null;
  let looking = false;
  let told: ReadonlySet<string> = new Set();

  /** Most commits of others are stored turns: only those that left something to do are passed on. */
  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      if (!source.changedElsewhere()) return;
      if (cancels.listeners > 0) await lookForCancelled();
      if (work.listeners > 0 && (await hasWork(source.reader, clock.steady()))) work.announce();
    } catch {
      // A store that cannot be read is noticed by whoever reads it next; workers poll on their own as well.
    } finally {
      looking = false;
    }
  }

  /** A run stays in this state until the last attempt of it has been given up, so none is missed between two looks. */
  async function lookForCancelled(): Promise<void> {
    const cancelling = new Set(await cancellingRuns(source.reader));
    for (const id of cancelling) if (!told.has(id)) cancels.announce(id);
    told = cancelling;
  }

  function stopLooking(): void {
    if (timer) clearInterval(timer);
    timer = null;
  }

  function looked<News>(wakeUps: WakeUps<News>): Announcements<News> {
    return {
      announce: wakeUps.announce,
      listen(wake) {
        const leave = wakeUps.listen(wake);
        timer ??= setInterval(() => void look(), lookEveryMs).unref();
        return () => {
          const left = leave();
          if (work.listeners + cancels.listeners === 0) stopLooking();
          return left;
        };
      },
    };
  }

  return {
    work: looked(work),
    cancels: looked(cancels),
    stop() {
      work.stop();
      cancels.stop();
      stopLooking();
    },
  };
}
