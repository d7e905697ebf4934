import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The engine could not do what it was asked: wrong usage, an invalid scenario, an unusable target or store. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  /** As `rehearsal` ends with it. */
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

interface EngineOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether progress is shown on standard error. */
  readonly show?: boolean;
  /** Exit codes that come with results. */
  readonly accept?: ReadonlySet<number>;
  readonly signal?: AbortSignal | undefined;
}

/** Runs the command line in a process of its own, and resolves with what it printed. */
export async function runEngine(
  parameters: readonly string[],
  { environment = {}, show = false, accept = new Set([0]), signal }: EngineOptions = {},
): Promise<{ readonly exitCode: number; readonly printed: string }> {
  signal?.throwIfAborted();
  const child = spawn(process.execPath, [commandLine(), ...parameters], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    // A test runner sends Ctrl-C to its group. The engine is stopped by us alone: a second signal would end it before it has stored
    // what is finished.
    detached: process.platform !== "win32",
  });
  const stop = stopOnExit(child);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const said: string[] = [];
    const printed: string[] = [];
    child.stdout?.setEncoding("utf8").on("data", (text: string) => printed.push(text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said.push(text);
      if (show) process.stderr.write(text);
    });
    const exitCode = await ended(child);
    signal?.throwIfAborted();
    if (accept.has(exitCode)) return { exitCode, printed: printed.join("") };
    const message = said.join("").trim() || printed.join("").trim() || `the engine ended with exit code ${exitCode}`;
    throw new EngineError(message.replace(/^rehearsal: /, ""), exitCode);
  } finally {
    signal?.removeEventListener("abort", stop);
    process.off("exit", stop);
  }
}

function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 130));
  });
}

/** The engine never outlives the program that uses it. */
function stopOnExit(child: ChildProcess): () => void {
  const stop = (): void => {
    child.kill("SIGTERM");
  };
  process.on("exit", stop);
  return stop;
}

/** The bundle of the package, or in a clone its sources. */
function commandLine(): string {
  const root = dirname(createRequire(import.meta.url).resolve("rehearsal-eval/package.json"));
  const source = join(root, "src/cli/main.ts");
  return import.meta.url.includes("/src/") && existsSync(source) ? source : join(root, "dist/cli/main.js");
}
