import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { createSemaphore } from "../../../base/semaphore.ts";
import type { Scenario } from "../../../contract/schemas/scenario.ts";
import { threadFile } from "../../../base/thread-file.ts";
import { createGuardedThread, ThreadOverrun } from "../../../runs/threads/guarded-thread.ts";
import type { LibraryFile, LibraryFileQuestion } from "./library-file-thread.ts";

const file = threadFile("library-file-thread", import.meta.url);

interface FileWriterOptions {
  readonly longestMs?: number;
  readonly mostMegabytes?: number;
  /** The limit of all scenarios as JSON, which are in memory while the file is written. */
  readonly mostCharacters?: number;
}

export interface LibraryFileRequest {
  readonly format: string;
  readonly scenarios: AsyncIterable<Scenario>;
  readonly owner: string | null;
  readonly signal: AbortSignal;
}

/** Writes scenarios as one file, or returns the `problem` that prevents it. Owners take turns. */
export type WriteLibraryFile = (request: LibraryFileRequest) => Promise<LibraryFile | { readonly problem: string }>;

/** Characters to read before yielding to the event loop. */
const charactersAtOnce = 50_000;

/** Writes in a thread, since some formats take seconds; the service stays responsive. */
export function createLibraryWriter({
  longestMs = 60_000,
  mostMegabytes = 1_024,
  mostCharacters = 128 * 1024 * 1024,
}: FileWriterOptions = {}): WriteLibraryFile {
  const thread = createGuardedThread<LibraryFileQuestion, LibraryFile>({
    start: (resourceLimits) => new Worker(file, { resourceLimits }),
    longestMs,
    mostMegabytes,
  });
  // Scenarios are read only when it is the request's turn, so that waiting requests hold no memory.
  const semaphore = createSemaphore(1, { spare: 1 });

  async function write({ format, scenarios, owner, signal }: LibraryFileRequest) {
    const texts = await textsOf(scenarios, { mostCharacters, signal });
    if (!texts) return { problem: tooLarge };
    return thread.ask({ format, scenarios: texts }, { asker: owner, signal }).catch((error: unknown) => {
      if (!(error instanceof ThreadOverrun)) throw error;
      return { problem: error.of === "memory" ? tooLarge : `takes more than ${longestMs / 1_000} seconds; ${advice}` };
    });
  }

  return (request) => semaphore.take(request.signal, () => write(request), request.owner);
}

const advice = "JSON lines are written fastest, and `rehearsal export` converts them to any other format";
const tooLarge = `needs too much memory; ${advice}`;

/** Null when the texts exceed the limit. */
async function textsOf(
  scenarios: AsyncIterable<Scenario>,
  { mostCharacters, signal }: { mostCharacters: number; signal: AbortSignal },
): Promise<string[] | null> {
  const texts: string[] = [];
  let together = 0;
  let read = 0;
  for await (const scenario of scenarios) {
    const text = JSON.stringify(scenario);
    texts.push(text);
    together += text.length;
    if (together > mostCharacters) return null;
    if ((read += text.length) < charactersAtOnce) continue;
    read = 0;
    await setImmediate(undefined, { signal });
  }
  return texts;
}
