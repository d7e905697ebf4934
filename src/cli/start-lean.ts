/** Commands that stay. Of the others, nobody would wait for a second start. */
const staying: ReadonlySet<string> = new Set(["serve", "worker"]);

/**
 * How much freed memory the C library keeps for itself: what is its default at first, but said here, it stays so. Left alone, it
 * grows with what V8's compilers have once needed, and a service keeps 30 MB that nobody uses.
 */
const keptByLibrary = { name: "MALLOC_TRIM_THRESHOLD_", bytes: "131072" };
/** One heap of the C library for all threads: V8's helpers are few and mostly wait, and with a heap each they keep 10 MB more between them. */
const heapsOfLibrary = { MALLOC_ARENA_MAX: "1" };
/** Young objects get 48 MB instead of up to 134: most of a run is garbage a moment later, and costs no more this way. */
const youngObjects = "--max-semi-space-size=16";
/** What Node writes down when memory runs out (`parts/memory-notes.ts`) holds no secrets then. */
const withoutEnvironment = "--report-exclude-env";

/** What `startLean` needs of `process`. */
export type Process = Pick<
  NodeJS.Process,
  "argv" | "env" | "execArgv" | "execPath" | "execve" | "permission" | "platform" | "send"
>;

/**
 * All of them are read when a process starts, and never again: so a command that stays replaces itself once, under the same process id,
 * before it has loaded anything. What the operator has set himself is left as it is.
 */
export function startLean(command: string, self: Process = process): void {
  const { argv, env, execArgv, execPath } = self;
  const { name, bytes } = keptByLibrary;
  if (!staying.has(command) || env[name] !== undefined || !mayReplace(self)) return;
  const chosen = /max[-_]semi[-_]space[-_]size/.test(env["NODE_OPTIONS"] ?? "") ? [] : [youngObjects];
  self.execve?.(execPath, [execPath, ...chosen, withoutEnvironment, ...execArgv, ...argv.slice(1)], {
    ...heapsOfLibrary,
    ...env,
    [name]: bytes,
  });
}

/** Windows cannot, a process with permissions may not, and one with a channel to its parent, as process managers open it, would lose it. */
const mayReplace = ({ permission, platform, send }: Process): boolean =>
  platform !== "win32" && permission === undefined && send === undefined;
