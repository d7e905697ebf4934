import { spawn } from "node:child_process";
import { once } from "node:events";
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
  /** Nobody reads any more once this stands on stderr, as with `| head`. */
  readonly readUntil?: string;
  /** Ctrl-C is pressed once this is there. */
  readonly interruptAt?: Promise<unknown>;
  /** Called as text arrives on stderr, so that a test can act in the middle. */
  readonly onStderr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** Runs the command line as a person would, with nothing of this machine's environment but the path. */
export async function runCli(
  parameters: readonly string[],
  { cwd, env = {}, input, readUntil, interruptAt, onStderr }: RunOptions,
): Promise<Ended> {
  const child = spawn(process.execPath, [commandLine, ...parameters], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", REHEARSAL_UPSTREAM_RETRY_BASE_MS: "1", ...env },
  });
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
