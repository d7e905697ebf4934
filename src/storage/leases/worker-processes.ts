import { readFileSync } from "node:fs";

/** Workers that have claimed through any queue of this process, so that a reused process id is not taken for a live one. */
const workersOfThisProcess = new Set<string>();

export function rememberWorker(worker: string): void {
  workersOfThisProcess.add(worker);
}

export interface Place {
  readonly host: string;
  readonly pid: number;
}

/** Whether a worker has left word that its process ran out of memory: it is dead, on whichever host it was. */
export type RanOutOfMemory = (worker: string) => boolean;

/**
 * Whether a worker (`host:pid:random`) is known to be dead: it ran on this host (see `thisHost`) and its process is gone, or
 * its process id is ours while it is none of our workers. A worker of another host is never known to be dead; its lease expires.
 */
export function isDeadWorker(worker: string, here: Place): boolean {
  const pid = processOf(worker, here);
  if (pid === null) return false;
  return pid === here.pid ? !workersOfThisProcess.has(worker) : !processExists(pid);
}

/**
 * Whether the process of a worker of this host was stopped, as by Ctrl-Z: it says nothing, and goes on where it was when it is
 * told to. Known on Linux alone.
 */
export function isStoppedWorker(worker: string, here: Place): boolean {
  const pid = processOf(worker, here);
  if (pid === null || pid === here.pid) return false;
  try {
    // The name of the program, in brackets, may hold anything; the state follows it.
    return /\) [Tt] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Its process id, if it is a worker of this host. */
function processOf(worker: string, here: Place): number | null {
  const match = /^(?<host>.*):(?<pid>[1-9]\d{0,9}):[^:]*$/s.exec(worker);
  return match?.groups?.["host"] === here.host ? Number(match.groups["pid"]) : null;
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
