import type { HostClock } from "../../tables/host.ts";
import type { Reader } from "../../tables/database.ts";
import { cancellingRuns } from "../../queries/runs.ts";
import { createNotifier, type Notifier } from "../notifier.ts";
import { hasWork } from "./claim.ts";

/** Interval of checking for commits of other processes; a check takes a few microseconds. */
const pollMs = 25;

interface WorkSource {
  readonly reader: Reader;
  changedElsewhere(): boolean;
}

type Channel<Message = void> = Pick<Notifier<Message>, "announce" | "listen">;

export interface WorkSignal {
  /** Work may be waiting. */
  readonly work: Channel;
  /** A run is being cancelled; the message is its id. */
  readonly cancels: Channel<string>;
  stop(): void;
}

/** Wakes workers: at once for changes by this process, shortly after for those of others. */
export function createWorkSignal(source: WorkSource, clock: HostClock): WorkSignal {
  const work = createNotifier();
  const cancels = createNotifier<string>();
  let timer: NodeJS.Timeout | null = null;
  let polling = false;
  let reported: ReadonlySet<string> = new Set();

  /** Most commits of others are stored turns: only those that left something to do are announced. */
  async function poll(): Promise<void> {
    if (polling) return;
    polling = true;
    try {
      if (!source.changedElsewhere()) return;
      if (cancels.listeners > 0) await pollCancelled();
      if (work.listeners > 0 && (await hasWork(source.reader, clock.steady()))) work.announce();
    } catch {
      // The next reader reports an unreadable store; workers also poll by themselves.
    } finally {
      polling = false;
    }
  }

  /** A run stays in this state until its last attempt has stopped, so none is missed between two polls. */
  async function pollCancelled(): Promise<void> {
    const cancelling = new Set(await cancellingRuns(source.reader));
    for (const id of cancelling) if (!reported.has(id)) cancels.announce(id);
    reported = cancelling;
  }

  function stopPolling(): void {
    if (timer) clearInterval(timer);
    timer = null;
  }

  function polled<Message>(notifier: Notifier<Message>): Channel<Message> {
    return {
      announce: notifier.announce,
      listen(wake) {
        const leave = notifier.listen(wake);
        timer ??= setInterval(() => void poll(), pollMs).unref();
        return () => {
          const left = leave();
          if (work.listeners + cancels.listeners === 0) stopPolling();
          return left;
        };
      },
    };
  }

  return {
    work: polled(work),
    cancels: polled(cancels),
    stop() {
      work.stop();
      cancels.stop();
      stopPolling();
    },
  };
}
