import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Two clocks that are never mixed: one is shown to people, the other measures leases. */
export interface HostClock {
  /** Milliseconds since 1970. May jump when the clock is set; only stored to be shown. */
  now(): number;
  /**
   * Milliseconds since this host started: monotonic and the same for every process of the host, so leases do not depend
   * on the wall clock.
   */
  steady(): number;
}

export const hostClock: HostClock = {
  now: () => Date.now(),
  steady: () => Number(process.hrtime.bigint() / 1_000_000n),
};

export interface HostProcess {
  readonly host: string;
  readonly pid: number;
}

/** True for a worker whose process is known to have run out of memory or stood still: it is dead, on whichever host it ran. */
export type BrokeDown = (worker: string) => boolean;

/** The process id by which other processes of this host know this one. */
export const ownProcessId = (): number => identity;

/**
 * Goes by the id of a supervisor that replaces this process when it ends. Others then leave the attempts of a process that stood still
 * to its replacement, which knows that they may be the cause.
 */
export function identifyAs(pid: number): void {
  identity = pid;
}

let identity = process.pid;

export interface HostReaders {
  readonly hostname: () => string;
  readonly readFile: (path: string) => string;
  readonly readLink: (path: string) => string;
}

/**
 * Identifies the namespace of process ids. The host name alone does not: containers on the host's network share it, and
 * so do machines made from one image. Where the boot id and the process namespace are unknown, the host name is used
 * alone.
 */
export function thisHost({ hostname: name, readFile, readLink }: HostReaders = system): string {
  const boot = tryRead(() => readFile(bootFile).trim());
  const namespace = tryRead(() => /\d+/.exec(readLink(namespaceLink))?.[0]);
  return [name(), boot, namespace].filter((part) => part !== undefined && part !== "").join("/");
}

export function registerWorker(worker: string): void {
  workersOfThisProcess.add(worker);
}

/**
 * True when a worker (`host:pid:random`) is known to be dead: it ran on this host (see `thisHost`) and its process is
 * gone, or its process id is ours but it is none of our workers. Workers of other hosts are never known to be dead;
 * their leases expire.
 */
export function isDeadWorker(worker: string, here: HostProcess): boolean {
  const pid = processOf(worker, here);
  if (pid === null) return false;
  return pid === here.pid ? !workersOfThisProcess.has(worker) : !processExists(pid);
}

/**
 * True when the process of a worker of this host is suspended, for example by Ctrl-Z: it is silent and continues later.
 * Detected on Linux only.
 */
export function isStoppedWorker(worker: string, here: HostProcess): boolean {
  const pid = processOf(worker, here);
  if (pid === null || pid === here.pid) return false;
  try {
    // The program name, in brackets, may contain anything; the state follows it.
    return /\) [Tt] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Workers registered by this process, so that a reused process id is not mistaken for a live worker. */
const workersOfThisProcess = new Set<string>();

/** The process id of a worker of this host, else null. */
function processOf(worker: string, here: HostProcess): number | null {
  const match = /^(?<host>.*):(?<pid>[1-9]\d{0,9}):[^:]*$/s.exec(worker);
  return match?.groups?.["host"] === here.host ? Number(match.groups["pid"]) : null;
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Any error but "no such process", such as "not permitted", means that the process exists.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

const bootFile = "/proc/sys/kernel/random/boot_id";
const namespaceLink = "/proc/self/ns/pid";

const system: HostReaders = {
  hostname,
  readFile: (path) => readFileSync(path, "utf8"),
  readLink: (path) => readlinkSync(path),
};

function tryRead<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
