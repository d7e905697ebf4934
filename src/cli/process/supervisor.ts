import { compact } from "../../base/compact.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { withMemoryLimits } from "./process-memory.ts";
import { onShellGone } from "./shell-gone.ts";
import {
  assignmentVariable,
  beatsWithin,
  type Assignment,
  type Ports,
  type Report,
  type StopRequest,
} from "./messages.ts";

/** A process that lasted so long is restarted at once, a shorter one after a pause that doubles each time. */
const steadyMs = 60_000;
const longestPauseMs = 30_000;
/** How long a process may take to end at the second signal. */
const lastWordMs = 500;
/** Earlier workers that a new process is told about. */
const mostBroken = 20;

/**
 * Runs this command in a process of its own, ends that process when its event loop stands still, and starts it again after that, or
 * after a crash. Everything else is as without a supervisor: signals are passed on, and the exit code is that of the process. Only what
 * is needed for that is loaded here, because this process takes memory beside the other.
 */
export async function supervise(): Promise<never> {
  const stop = new StopSignals();
  const broken: string[] = [];
  let ports: Ports | undefined;
  let restart: Assignment["restart"];
  for (let pauseMs = 0; ;) {
    const life = await superviseOne({ stop, restart });
    if (!life.begun || life.signal === null || stop.count > 0) return endLike(life, stop);
    if (life.stoodStill) broken.push(...life.workers);
    ports = life.ports ?? ports;
    const reason = life.stoodStill ? `it stood still for ${life.silenceMs} ms` : `it was ended by ${life.signal}`;
    restart = compact({ reason, broken: broken.slice(-mostBroken), ports });
    pauseMs = life.lastedMs >= steadyMs ? 0 : Math.min(longestPauseMs, pauseMs * 2);
    await stop.within(pauseMs);
    if (stop.count > 0) return endLike(life, stop);
    pauseMs ||= 500;
  }
}

interface Life {
  /** It executed runs: what ends it now may be one of them. Before that, a failure is one of the start. */
  readonly begun: boolean;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stoodStill: boolean;
  readonly silenceMs: number;
  readonly workers: readonly string[];
  readonly ports: Ports | undefined;
  readonly lastedMs: number;
}

/** Starts the process and resolves with how it ended. */
function superviseOne({ stop, restart }: { stop: StopSignals; restart: Assignment["restart"] }): Promise<Life> {
  const startedAt = performance.now();
  const assignment: Assignment = compact({ pid: process.pid, restart });
  const { parameters, env } = withMemoryLimits(process);
  const child = spawn(process.execPath, parameters, {
    env: { ...env, [assignmentVariable]: JSON.stringify(assignment) },
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  const workers: string[] = [];
  let ports: Ports | undefined;
  let isStoppable = false;
  let silenceMs = 0;
  let stoodStill = false;
  const watch = new SilenceWatch(() => {
    if (isSuspended(child)) return watch.heard(false);
    stoodStill = true;
    child.kill("SIGKILL");
  });
  child.on("message", (message: Report) => {
    if (message.type === "beat") return watch.heard(message.paused);
    if (message.type === "stoppable") isStoppable = true;
    if (message.type === "listening") ({ ports } = message);
    if (message.type !== "begun") return;
    workers.push(message.worker);
    ({ silenceMs } = message);
    watch.begin(silenceMs);
  });
  stop.forwardTo((signal, count) => {
    // Before it can stop by itself, a signal ends it as one ends any program.
    if (!isStoppable) return void child.kill(signal);
    child.send({ type: "stop", signal } satisfies StopRequest, () => {});
    if (count > 1) setTimeout(() => child.kill("SIGKILL"), lastWordMs).unref();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      watch.end();
      stop.forwardTo(null);
      const lastedMs = performance.now() - startedAt;
      resolve({ begun: workers.length > 0, code, signal, stoodStill, silenceMs, workers, ports, lastedMs });
    });
  });
}

/** Ends this process as the other one ended. */
async function endLike({ code, signal, stoodStill }: Life, stop: StopSignals): Promise<never> {
  stop.close();
  if (code !== null) process.exit(code);
  // The signal was ours, or came after one that asked for an end.
  if (stoodStill || stop.last !== null) process.exit(stop.last === "SIGINT" ? 130 : 143);
  process.kill(process.pid, signal ?? "SIGKILL");
  return new Promise(() => setTimeout(() => process.exit(1), 1_000));
}

/**
 * Calls `silent` once nothing was heard for a time. The time is counted in steps of this process, and one that took longer counts as
 * one: while the whole machine or container is suspended, it stands still too.
 */
class SilenceWatch {
  readonly #silent: () => void;
  #timer: NodeJS.Timeout | undefined;
  #steps = 0;

  constructor(silent: () => void) {
    this.#silent = silent;
  }

  begin(silenceMs: number): void {
    this.end();
    if (silenceMs <= 0) return;
    this.#timer = setInterval(() => {
      this.#steps += 1;
      if (this.#steps > beatsWithin) this.#silent();
    }, silenceMs / beatsWithin);
  }

  /** `paused`: from now on silence means nothing. */
  heard(paused: boolean): void {
    this.#steps = paused ? Number.NEGATIVE_INFINITY : 0;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#steps = 0;
  }
}

/** The stop signals that this process receives, each passed on to the process that runs. */
class StopSignals {
  count = 0;
  last: NodeJS.Signals | null = null;
  #forward: ((signal: NodeJS.Signals, count: number) => void) | null = null;
  readonly #first = Promise.withResolvers<void>();
  readonly #receive = (signal: NodeJS.Signals): void => {
    this.count += 1;
    this.last = signal;
    this.#first.resolve();
    this.#forward?.(signal, this.count);
  };

  constructor() {
    process.on("SIGINT", this.#receive);
    process.on("SIGTERM", this.#receive);
    onShellGone(() => this.count > 0 || this.#receive("SIGTERM"));
  }

  forwardTo(forward: ((signal: NodeJS.Signals, count: number) => void) | null): void {
    this.#forward = forward;
  }

  /** Resolves after a time, or with the first signal. */
  async within(ms: number): Promise<void> {
    const pause = Promise.withResolvers<void>();
    const timer = setTimeout(pause.resolve, ms);
    await Promise.race([pause.promise, this.#first.promise]);
    clearTimeout(timer);
  }

  close(): void {
    process.off("SIGINT", this.#receive);
    process.off("SIGTERM", this.#receive);
  }
}

/** True for a process that was suspended by a signal: it continues later. Known on Linux only. */
function isSuspended({ pid }: ChildProcess): boolean {
  try {
    // The program name, in brackets, may contain anything; the state follows it.
    return /\) [Tt] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
