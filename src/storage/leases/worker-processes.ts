/** Workers that have claimed through any queue of this process, so that a reused process id is not taken for a live one. */
const workersOfThisProcess = new Set<string>();

export function rememberWorker(worker: string): void {
  workersOfThisProcess.add(worker);
}

export interface Place {
  readonly host: string;
  readonly pid: number;
}

/**
 * Whether a worker (`host:pid:random`) is known to be dead: it ran on this host (see `thisHost`) and its process is gone, or
 * its process id is ours while it is none of our workers. A worker of another host is never known to be dead; its lease expires.
 */
export function isDeadWorker(worker: string, here: Place): boolean {
  const match = /^(?<host>.*):(?<pid>[1-9]\d{0,9}):[^:]*$/s.exec(worker);
  if (match?.groups?.["host"] !== here.host) return false;
  const pid = Number(match.groups["pid"]);
  return pid === here.pid ? !workersOfThisProcess.has(worker) : !processExists(pid);
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Anything but "no such process", such as "not permitted", means that there is one.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
