import type { Clock } from "../clock.ts";
import type { Reader } from "../database.ts";
import { createWakeUps, type WakeUps } from "../wake-ups.ts";
import { hasWork } from "./claim.ts";

/** How often to look whether another process has committed something: a few microseconds each time. */
const lookEveryMs = 25;

export interface WorkSource {
  readonly reader: Reader;
  changedElsewhere(): boolean;
}

/** Wakes workers when work may be waiting: at once for work of this process, within a moment for that of others. */
export function createWorkSignal(source: WorkSource, clock: Clock): WakeUps {
  const wakeUps = createWakeUps();
  let listening = 0;
  let timer: NodeJS.Timeout | null = null;
  let looking = false;

  /** Most commits of others are stored turns: only those that left something to claim are passed on. */
  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      if (source.changedElsewhere() && (await hasWork(source.reader, clock.steady()))) wakeUps.announce();
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
    announce: wakeUps.announce,
    listen(wake) {
      const leave = wakeUps.listen(wake);
      listening += 1;
      timer ??= setInterval(() => void look(), lookEveryMs).unref();
      return () => {
        if (!leave()) return false;
        listening -= 1;
        if (listening === 0) stop();
        return true;
      };
    },
    stop() {
      wakeUps.stop();
      stop();
    },
  };
}
