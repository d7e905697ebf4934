import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { LimitOverrides } from "../../../src/settings/numbers.ts";
import { commandLine } from "../../support/command-line.ts";
import { serviceEnvironment, serviceLimits } from "../../support/service-environment.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** `rehearsal serve` as a process of its own, without a demo and with nothing of our environment but what is handed in. */
export interface ServeProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly agent: string;
  readonly evaluation: string;
  readonly dataDir: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<number | null>;
  /** Resident memory in bytes. */
  memory(): Promise<number>;
  /** Asks what was loaded into the process with `--import` and listens there. */
  ask<Answer>(message: string): Promise<Answer>;
}

interface ServeProcessOptions {
  /** Written to the configuration file in the folder of the process. */
  readonly limits?: LimitOverrides;
  readonly nodeOptions?: readonly string[];
  /** Opens a channel to the process, for `ask`. */
  readonly messages?: boolean;
}

interface EndedProcess {
  readonly code: number | null;
  readonly stderr: string;
}

/** Starts it and waits for its addresses. Rejects with what it wrote when it ends instead. */
export async function startServe(
  environment: Record<string, string> = {},
  { limits, ...options }: ServeProcessOptions = {},
): Promise<ServeProcess> {
  const folder = await temporaryFolder();
  await writeFile(folder.file("rehearsal.json"), JSON.stringify({ limits: { ...serviceLimits, ...limits } }));
  const started = spawnServe({ REHEARSAL_DATA_DIR: folder.file("data"), ...environment }, folder.path, options);
  try {
    const { agent, evaluation } = await started.addresses();
    return {
      ...started,
      agent,
      evaluation,
      dataDir: environment["REHEARSAL_DATA_DIR"] ?? folder.file("data"),
      async [Symbol.asyncDispose]() {
        started.child.kill("SIGKILL");
        await started.ended;
        await folder[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    started.child.kill("SIGKILL");
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}

/** For a start that is expected to fail. One that does not is ended, and says so by its code null. */
export async function serveThatEnds(environment: Record<string, string>, cwd?: string): Promise<EndedProcess> {
  const started = spawnServe(environment, cwd);
  const running = started.addresses().then(
    () => started.child.kill("SIGKILL"),
    () => {},
  );
  const code = await started.ended;
  await running;
  return { code, stderr: started.stderr() };
}

function spawnServe(
  environment: Record<string, string>,
  cwd?: string,
  { nodeOptions = [], messages = false }: ServeProcessOptions = {},
) {
  const child = spawn(process.execPath, [...nodeOptions, commandLine, "serve", "--json"], {
    ...(cwd !== undefined && { cwd }),
    stdio: ["ignore", "pipe", "pipe", ...(messages ? (["ipc"] as const) : [])],
    // A demo that is set up costs more than most tests.
    env: { ...serviceEnvironment, REHEARSAL_DEMO: "off", ...environment },
  });
  let stdout = "";
  let stderr = "";
  const output = child.stdout as Readable;
  output.on("data", (data) => (stdout += String(data)));
  child.stderr?.on("data", (data) => (stderr += String(data)));
  const ended = once(child, "exit").then(([code]) => code as number | null);

  return {
    child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    async addresses(): Promise<{ agent: string; evaluation: string }> {
      while (!stdout.includes("\n")) {
        await Promise.race([once(output, "data"), ended]);
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`serve ended: ${stderr}`);
      }
      return JSON.parse(stdout) as { agent: string; evaluation: string };
    },
    async memory(): Promise<number> {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8");
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    },
    async ask<Answer>(message: string): Promise<Answer> {
      const answered = once(child, "message");
      child.send(message);
      const [answer] = await answered;
      return answer as Answer;
    },
  };
}
