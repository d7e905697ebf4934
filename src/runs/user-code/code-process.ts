import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { truncateText } from "../../base/text.ts";
import { createLineSplitter, parseAnswer, type CodeAnswer, type Question } from "./protocol.ts";

/** How a process of users' code is started. */
export interface CodeProgram {
  readonly command: string;
  readonly arguments: readonly string[];
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where it is started. Default: the current folder. */
  readonly folder?: string | undefined;
  /** The parameters of the question `start`. */
  readonly start?: unknown;
  /** True when it is told the end of each conversation. */
  readonly endsSessions?: boolean;
  /** Where it writes its answers. Default: file descriptor 3. */
  readonly answers?: "fd3" | "stdout";
}

/** The arguments of a Node that runs one of our entries, which loads a user's module. */
export function nodeArguments(entry: URL, memoryMb: number): readonly string[] {
  // Node took TypeScript only on request before 22.18.
  const typescript = process.features.typescript
    ? []
    : ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];
  return [`--max-old-space-size=${memoryMb}`, ...typescript, fileURLToPath(entry)];
}

interface CodeProcessOptions {
  readonly program: CodeProgram;
  /** Megabytes that the process may use in all, also outside of a JavaScript heap. */
  readonly memoryMb: number;
  /** Called with each line that the code prints. */
  readonly onOutput?: ((line: string) => void) | undefined;
}

/** A failure of users' code: it took too long, used too much memory, ended its process or gave no usable answer. */
export class CodeFailure extends Error {
  override readonly name = "CodeFailure";
}

/** Longer answers end the process: they would fill the memory of the service. */
export const longestAnswer = 16 * 1024 * 1024;

const memoryCheckMs = 50;
const keptOutput = 4_000;
/** How long the end of the output is waited for after the process has ended. */
const outputMs = 500;

/** One process that runs code of users, asked one question at a time. After a failure it is of no further use. */
export class CodeProcess {
  readonly #options: CodeProcessOptions;
  readonly #child: ChildProcess;
  #lastId = 0;
  #pending: { readonly id: number; settle(answer: CodeAnswer): void; fail(error: Error): void } | null = null;
  /** The end of what the code printed, for messages about its failure. */
  #output = "";
  #failure: CodeFailure | null = null;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;

  constructor(options: CodeProcessOptions) {
    this.#options = options;
    const { program } = options;
    this.#child = childProcess().spawn(program.command, program.arguments, {
      env: { ...program.environment },
      cwd: program.folder,
      // The last pipe is never written to. It breaks when this process dies, also by kill -9.
      stdio: ["pipe", "pipe", "pipe", "pipe", "pipe"],
      // A group of its own, so that processes that the code has started end with it.
      detached: hasGroups,
      windowsHide: true,
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#child.once("error", (error) => {
      this.#fail(new CodeFailure(`The process could not be started: ${error.message}`));
      resolve();
    });
    const gone = (code: number | null, signal: string | null): void => {
      this.#fail(new CodeFailure(this.#endedBecause(code, signal)));
      resolve();
    };
    this.#child.once("close", gone);
    this.#child.once("exit", (code, signal) => {
      this.#killGroup();
      // A process that has left the group may keep the pipes open.
      setTimeout(gone, outputMs, code, signal).unref();
    });
    this.#listen();
    this.#watchMemory();
  }

  get usable(): boolean {
    return this.#failure === null;
  }

  /** The memory in use, in megabytes; null when it is not known. */
  memory(): Promise<number | null> {
    return this.#child.pid === undefined ? Promise.resolve(null) : residentMegabytes(this.#child.pid);
  }

  /** Rejects with a `CodeFailure` after `ms` milliseconds, or when the process fails. An abort ends the process too. */
  async ask(method: string, params: unknown, { ms, signal }: { ms: number; signal: AbortSignal }): Promise<CodeAnswer> {
    signal.throwIfAborted();
    if (this.#failure) throw this.#failure;
    const id = (this.#lastId += 1);
    const { promise, resolve, reject } = Promise.withResolvers<CodeAnswer>();
    this.#pending = { id, settle: resolve, fail: reject };
    const timer = setTimeout(() => this.#kill(`It took longer than ${secondsText(ms)} and was stopped.`), ms);
    const leave = (): void => {
      this.end();
      reject(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      this.#child.stdin?.write(`${JSON.stringify({ id, method, params } satisfies Question)}\n`);
      return await promise;
    } finally {
      this.#pending = null;
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
    }
  }

  /** Ends the process at once, with those that it has started. */
  end(): void {
    this.#failure ??= new CodeFailure("The process was stopped.");
    this.#killGroup();
    this.#child.kill("SIGKILL");
  }

  #killGroup(): void {
    const { pid } = this.#child;
    if (pid === undefined || !hasGroups) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // None of the group is left.
    }
  }

  #listen(): void {
    const { stdin, stdout, stderr, stdio } = this.#child;
    const { answers = "fd3" } = this.#options.program;
    const onAnswer = createLineSplitter((line) => this.#receive(line), {
      longest: longestAnswer,
      onTooLong: () => this.#kill(`Its answer has more than ${longestAnswer} characters.`),
    });
    const onPrinted = createLineSplitter((line) => this.#options.onOutput?.(line), { longest: keptOutput });
    const print = (chunk: string): void => {
      this.#output = (this.#output + chunk).slice(-keptOutput);
      onPrinted(chunk);
    };
    const channel = answers === "fd3" ? (stdio[3] as Readable) : stdout;
    for (const stream of [stdout, stderr, channel]) stream?.setEncoding("utf8");
    channel?.on("data", onAnswer);
    stderr?.on("data", print);
    if (channel !== stdout) stdout?.on("data", print);
    // A process that ends while it is written to or read from is reported by its end.
    for (const stream of [stdin, ...stdio.slice(1)]) stream?.on("error", () => {});
  }

  #receive(line: string): void {
    const pending = this.#pending;
    const answer = pending && parseAnswer(line, pending.id);
    if (!answer) return this.#kill(this.#notAnAnswer(line));
    pending.settle(answer);
  }

  #notAnAnswer(line: string): string {
    if (this.#options.program.answers !== "stdout")
      return "It wrote something other than an answer to the channel of the protocol.";
    const printed = JSON.stringify(truncateText(line, 80));
    return `It printed ${printed} to standard output, which is not an answer with the id of the question: print anything else to standard error.`;
  }

  /** Also between two questions: code may go on in timers. */
  #watchMemory(): void {
    const { memoryMb } = this.#options;
    let isChecking = false;
    const timer = setInterval(async () => {
      if (isChecking) return;
      isChecking = true;
      const used = await this.memory();
      isChecking = false;
      if (used !== null && used > memoryMb) this.#kill(outOfMemory(memoryMb));
    }, memoryCheckMs);
    timer.unref();
    void this.ended.then(() => clearInterval(timer));
  }

  #kill(reason: string): void {
    this.#fail(new CodeFailure(reason));
    this.end();
  }

  #fail(failure: CodeFailure): void {
    this.#failure ??= failure;
    this.#pending?.fail(this.#failure);
  }

  #endedBecause(code: number | null, signal: string | null): string {
    if (this.#output.includes("heap out of memory")) return outOfMemory(this.#options.memoryMb);
    const how = code === null ? `by ${signal ?? "a signal"}` : `with exit code ${code}`;
    const last = lastErrorLine(this.#output);
    return `Its process ended ${how}${last === "" ? "." : `: ${truncateText(last, 500)}`}`;
  }
}

/** Loaded when the first process starts: most commands start none. */
const childProcess = () => process.getBuiltinModule("node:child_process");

const hasGroups = process.platform !== "win32";

const outOfMemory = (memoryMb: number): string => `It used more than ${memoryMb} MB of memory and was stopped.`;

function secondsText(ms: number): string {
  return ms % 1_000 === 0 ? `${ms / 1_000} s` : `${ms} ms`;
}

/** The line of an uncaught error, which Node prints before its stack; else the last line. */
function lastErrorLine(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  const error = lines.findLast((line) => /^(?:Uncaught )?[A-Z]\w*(?:Error|Exception)?(?: \[\w+\])?: /.test(line));
  return error ?? lines.findLast((line) => line !== "" && !line.startsWith("Node.js v")) ?? "";
}

/** The resident memory of a process; null when it cannot be read, as on Windows. */
export async function residentMegabytes(pid: number): Promise<number | null> {
  try {
    const kilobytes =
      process.platform === "linux"
        ? /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]
        : process.platform === "win32"
          ? undefined
          : await askPs(pid);
    return kilobytes === undefined ? null : Number(kilobytes) / 1024;
  } catch {
    return null;
  }
}

function askPs(pid: number): Promise<string> {
  return new Promise((resolve, reject) => {
    childProcess().execFile("ps", ["-o", "rss=", "-p", String(pid)], (error, text) =>
      error ? reject(error) : resolve(text.trim()),
    );
  });
}
