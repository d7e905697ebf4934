import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { cpuSeconds, endedCpuSeconds, peakMegabytes } from "./process-figures.ts";

export interface ChildOptions {
  /** The arguments of node: its own options, the script, the script's arguments. */
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** True to open a message channel. The product takes one for a process manager's, and starts differently. */
  readonly hears?: boolean;
}

/** A server of its own that stays until it is stopped. */
export interface ServerProcess {
  readonly pid: number;
  /** The line of JSON it printed when it was ready. */
  readonly ready: unknown;
  readonly readySeconds: number;
  cpuSeconds(): number;
  peakMegabytes(): number;
  send(message: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** How one process went from its start to its end. */
export interface EndedProcess {
  readonly wallSeconds: number;
  /** Of the process and all it started. */
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Everything that is inherited but a setting of ours, which the bench alone decides. */
function environmentFor(own: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^(REHEARSAL_|HUB_|STUDIO_|EVAL_|AGENT_|JUDGE_|LABELLER_|EMBEDDINGS_|DATABASE_URL|OTEL_|NODE_OPTIONS)/.test(
        name,
      ),
  );
  return { ...Object.fromEntries(inherited), LOG_LEVEL: "silent", ...own };
}

const alive = new Set<ChildProcess>();
// A bench that is stopped in the middle leaves nothing running.
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

function start({ arguments: argv, environment, folder, hears = false }: ChildOptions): ChildProcess {
  const child = spawn(process.execPath, [...argv], {
    env: environmentFor(environment),
    stdio: ["ignore", "pipe", "pipe", ...(hears ? (["ipc"] as const) : [])],
    ...(folder !== undefined && { cwd: folder }),
  });
  alive.add(child);
  child.once("exit", () => alive.delete(child));
  return child;
}

/** A server that has not said its address by then never will. */
const startLimitMs = 30_000;

/** Starts a server and waits for its first line of JSON. Rejects when it ends, or takes too long, before that. */
export async function startServer(options: ChildOptions): Promise<ServerProcess> {
  const began = performance.now();
  const child = start(options);
  const pid = child.pid ?? 0;
  const errors = collect(child.stderr);
  const ended = once(child, "exit");
  const limit = setTimeout(() => child.kill("SIGKILL"), startLimitMs);
  const ready = await Promise.race([
    firstJsonLine(child),
    ended.then(() => Promise.reject(new Error(`${options.arguments.at(-1)} did not start: ${errors().slice(-400)}`))),
  ]).finally(() => clearTimeout(limit));
  const readySeconds = (performance.now() - began) / 1000;
  // Later output is not needed, but a full pipe would block the process.
  child.stdout?.resume();
  let peak = 0;
  return {
    pid,
    ready,
    readySeconds,
    cpuSeconds: () => cpuSeconds(pid),
    peakMegabytes: () => (peak = Math.max(peak, peakMegabytes(pid))),
    async send(message) {
      const answer = once(child, "message");
      child.send(message as object);
      const [value] = (await answer) as [unknown];
      return value;
    },
    async stop() {
      const giveUp = setTimeout(() => child.kill("SIGKILL"), 5_000);
      child.kill("SIGTERM");
      await ended;
      clearTimeout(giveUp);
    },
  };
}

interface RunToEndOptions {
  readonly limitMs?: number;
  /** Watches the process, or ends it. `ended` says whether it has ended by itself meanwhile. */
  readonly whileRunning?: (pid: number, ended: { readonly is: boolean }) => Promise<void>;
}

/** Runs a process to its end. One at a time: its processor time is read from what ended meanwhile. */
export async function runToEnd(
  options: ChildOptions,
  { limitMs = 300_000, whileRunning = async () => {} }: RunToEndOptions = {},
): Promise<EndedProcess> {
  const cpuBefore = endedCpuSeconds();
  const began = performance.now();
  const child = start(options);
  const output = collect(child.stdout);
  const errors = collect(child.stderr);
  let peak = 0;
  const look = setInterval(() => (peak = Math.max(peak, peakMegabytes(child.pid ?? 0))), 50);
  const limit = setTimeout(() => child.kill("SIGKILL"), limitMs);
  const ended = { is: false };
  const closed = once(child, "close").finally(() => (ended.is = true)) as Promise<[number | null]>;
  const watched = whileRunning(child.pid ?? 0, ended).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  const [[exitCode]] = await Promise.all([closed, watched]);
  clearInterval(look);
  clearTimeout(limit);
  return {
    wallSeconds: (performance.now() - began) / 1000,
    cpuSeconds: endedCpuSeconds() - cpuBefore,
    peakMegabytes: peak,
    exitCode,
    output: output(),
    errors: errors(),
  };
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = "";
  stream?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}

async function firstJsonLine(child: ChildProcess): Promise<unknown> {
  if (!child.stdout) throw new Error("The process has no output");
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("{")) return JSON.parse(line);
  }
  throw new Error("The process printed no line of JSON");
}
