import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { ImportRequest } from "../../formats/import-scenarios.ts";
import type { FileAnswer } from "./scenario-file-thread.ts";

// Follows what this very file is: TypeScript in the repository, JavaScript in the published package.
const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
const threadFile = new URL(`./scenario-file-thread${extension}`, import.meta.url);

export interface FileReaderOptions {
  readonly longestMs?: number;
  readonly mostMegabytes?: number;
  /** A thread that has had nothing to do for so long is ended. */
  readonly idleMs?: number;
}

/** Reads one file; a file that cannot be read has a `problem`. */
export type ReadScenarioFile = (request: ImportRequest) => Promise<FileAnswer>;

/**
 * Reads files of others in a thread, one after the other: some take seconds (YAML is a hundred times slower than JSON),
 * and whoever wrote one may have meant it to take hours. Meanwhile the service answers everybody else.
 */
export function createFileReader({
  longestMs = 20_000,
  mostMegabytes = 512,
  idleMs = 30_000,
}: FileReaderOptions = {}): ReadScenarioFile {
  let last: Promise<unknown> = Promise.resolve();
  let thread: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;

  function start(): Worker {
    const worker = new Worker(threadFile, { resourceLimits: { maxOldGenerationSizeMb: mostMegabytes } });
    // A service that ends does not wait for it, and one that is not reading need not hear of its end.
    worker.unref();
    worker.on("error", () => {});
    worker.on("exit", () => {
      if (thread === worker) thread = null;
    });
    return (thread = worker);
  }

  async function end(): Promise<void> {
    const worker = thread;
    thread = null;
    await worker?.terminate();
  }

  async function read(request: ImportRequest): Promise<FileAnswer> {
    clearTimeout(idle);
    const worker = thread ?? start();
    try {
      const answer = once(worker, "message", { signal: AbortSignal.timeout(longestMs) });
      worker.postMessage(request);
      return ((await answer) as [FileAnswer])[0];
    } catch (error) {
      await end();
      const problem = problemOf(error, longestMs);
      if (problem === null) throw error;
      return { problem };
    } finally {
      idle = setTimeout(() => void end(), idleMs).unref();
    }
  }

  return (request) => {
    const reading = last.then(() => read(request));
    last = reading.catch(() => {});
    return reading;
  };
}

const advice = "JSON and JSON lines are read fastest, and `rehearsal import` has no such limit";

function problemOf(error: unknown, longestMs: number): string | null {
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (name === "AbortError") return `takes more than ${longestMs / 1_000} seconds to read; ${advice}`;
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return `takes more memory to read than there is for it; ${advice}`;
  return null;
}
