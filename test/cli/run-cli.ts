import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { runCli as run } from "../../src/cli/program.ts";
import { commandLine } from "../support/command-line.ts";

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/**
 * Runs a command in this process, with nothing of this machine's environment but the path. A process of its own would
 * need half a second of processor time to load; commands that stay, or that a test interrupts, get one from `spawnCli`.
 */
export function runCli(parameters: readonly string[], options: RunOptions): Promise<Ended> {
  const ended = previous.then(() => runHere(parameters, options));
  previous = ended.catch(() => {});
  return ended;
}

/** Commands run one after another: a process has one working directory, one environment and one pair of streams. */
let previous: Promise<unknown> = Promise.resolve();

async function runHere(parameters: readonly string[], { cwd, env = {}, input = "" }: RunOptions): Promise<Ended> {
  const [stdout, stderr] = [capture(), capture()];
  const folder = process.cwd();
  const listeners = signals.map((signal) => process.listeners(signal));
  const restore = replace({
    env: environment(env),
    argv: [process.execPath, commandLine, ...parameters],
    stdin: Readable.from([Buffer.from(input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    exitCode: undefined,
  });
  process.chdir(cwd);
  try {
    await run(parameters);
    return { code: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(folder);
    restore();
    for (const [index, signal] of signals.entries())
      for (const listener of process.listeners(signal))
        if (!listeners[index]?.includes(listener)) process.off(signal, listener);
  }
}

const signals = ["SIGINT", "SIGTERM"] as const;

const environment = (env: Readonly<Record<string, string>>): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  ...env,
});

/** Gives `process` other properties. The returned function puts the earlier ones back. */
function replace(properties: Partial<Record<keyof NodeJS.Process, unknown>>): () => void {
  const names = Object.keys(properties) as (keyof NodeJS.Process)[];
  const earlier = names.map((name) => Object.getOwnPropertyDescriptor(process, name));
  for (const name of names) {
    const value = properties[name];
    if (name === "exitCode") process.exitCode = value as undefined;
    else Object.defineProperty(process, name, { value, configurable: true, writable: true, enumerable: true });
  }
  return () => {
    for (const [index, name] of names.entries()) {
      const descriptor = earlier[index];
      if (name === "exitCode") process.exitCode = undefined;
      else if (descriptor) Object.defineProperty(process, name, descriptor);
    }
  };
}

function capture(): { stream: Writable; text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

interface SpawnOptions extends RunOptions {
  /** Closes both pipes once this text is on stderr, as `| head` does. */
  readonly readUntil?: string;
  /** Sends SIGINT when this promise resolves. */
  readonly interruptAt?: Promise<unknown>;
  /** Called as text arrives on stderr, so that a test can act in the middle. */
  readonly onStderr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** Runs a command in a process of its own, as a person would. */
export async function spawnCli(
  parameters: readonly string[],
  { cwd, env = {}, input, readUntil, interruptAt, onStderr }: SpawnOptions,
): Promise<Ended> {
  const child = spawn(process.execPath, [commandLine, ...parameters], { cwd, env: environment(env) });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data) => (stdout += String(data)));
  child.stderr.on("data", (data) => {
    stderr += String(data);
    if (readUntil !== undefined && stderr.includes(readUntil))
      for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
    onStderr?.(stderr, (signal) => child.kill(signal));
  });
  void interruptAt?.then(() => child.kill("SIGINT"));
  child.stdin.end(input ?? "");
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
