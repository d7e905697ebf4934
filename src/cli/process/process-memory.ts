import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** glibc raises this threshold when V8's compilers free large blocks; a fixed value returns 30 MB to the system. */
const trimThreshold = { name: "MALLOC_TRIM_THRESHOLD_", bytes: "131072" };
/** One malloc arena for all threads: V8's helper threads are mostly idle, and separate arenas hold 10 MB more. */
const arenas = { MALLOC_ARENA_MAX: "1" };
/** 48 MB for young objects instead of up to 134: most objects of a run are short-lived, so this costs no time. */
const youngGeneration = "--max-semi-space-size=16";
/** Keeps secrets out of the report Node writes when memory runs out (`memory-notes.ts`). */
const withoutEnvironment = "--report-exclude-env";

/** The part of `process` that this module uses. */
export type Process = Pick<
  NodeJS.Process,
  "argv" | "env" | "execArgv" | "execPath" | "execve" | "permission" | "platform" | "send"
>;

/** Only `serve` runs long. The other commands are not worth a second start. */
export const isService = (command: string): boolean => command === "serve";

/** How to start this command again with lower memory limits, which are read only at start-up. Values the operator has set are kept. */
export function withMemoryLimits({ argv, env, execArgv }: Pick<Process, "argv" | "env" | "execArgv">): {
  readonly parameters: readonly string[];
  readonly env: NodeJS.ProcessEnv;
} {
  const chosen = /max[-_]semi[-_]space[-_]size/.test(env["NODE_OPTIONS"] ?? "") ? [] : [youngGeneration];
  return {
    parameters: [...chosen, withoutEnvironment, ...execArgv, ...argv.slice(1)],
    env: { ...arenas, [trimThreshold.name]: trimThreshold.bytes, ...env },
  };
}

/**
 * Replaces a service's process by one with lower memory limits, under the same process id, if no supervisor starts it with them. This
 * happens before anything else is loaded.
 */
export function restartWithMemoryLimits(command: string, self: Process = process): void {
  if (!isService(command) || self.env[trimThreshold.name] !== undefined || !canReplace(self)) return;
  const { parameters, env } = withMemoryLimits(self);
  self.execve?.(self.execPath, [self.execPath, ...parameters], env);
}

/** Windows has no execve, the permission model forbids it, and an IPC channel to a process manager would be lost. */
const canReplace = ({ permission, platform, send }: Process): boolean =>
  platform !== "win32" && permission === undefined && send === undefined;

/** `rehearsal mcp` opens the store for every call. */
let isLimited = false;

/**
 * Limits how far V8's heap grows, and how much memory its compilers take, in a process that executes runs.
 * It is called once the program is loaded: a changed flag invalidates the code cache of Node's own modules, and compiling
 * those that are loaded later costs 50 ms.
 */
export function limitHeap(): void {
  if (isLimited) return;
  isLimited = true;
  for (const flag of heapFlags) setFlagsFromString(flag);
  limitYoungGeneration();
}

/**
 * Measured: on a machine with much memory the old space grows fourfold by default. 50 % growth is enough; 20 % saves 10 MB
 * more but costs a large evaluation a sixth more processor time. The compilers take 50 MB at once in a young process,
 * mostly for the HTTP parser's single WebAssembly function, whose loops are therefore not unrolled.
 */
const heapFlags = [
  "--heap-growing-percent=50",
  "--no-allocation-site-pretenuring",
  "--no-wasm-loop-unrolling",
  "--no-wasm-loop-peeling",
  "--no-maglev-inlining",
];

/** The young generation has two halves that double as it grows: above this size they are 16 MB each. */
const largeEnough = 24 * 1024 * 1024;

/**
 * Stops the young generation from growing beyond 32 MB in commands that are not restarted. Its maximum can no longer be
 * changed once the process runs, but its growth factor can. An evaluation of 5,000 cases holds 80 MB less and takes as long.
 */
function limitYoungGeneration(): void {
  if ([process.env["NODE_OPTIONS"] ?? "", ...process.execArgv].some((text) => /semi[-_]space/.test(text))) return;
  const observer = new PerformanceObserver(stopGrowth);
  function stopGrowth(): void {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if (!young || young.space_size < largeEnough) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    observer.disconnect();
  }
  observer.observe({ entryTypes: ["gc"] });
  // It may have grown while the program was loaded, and the observer waits for the event loop.
  stopGrowth();
}
