import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { threadFile } from "../../base/thread-file.ts";
import type { Score } from "../../contract/schemas/scores/score.ts";
import { lexicalScores, type LexicalTask } from "../../scoring/scorers/scores.ts";
import { isOutOfMemory } from "./guarded-thread.ts";

/** Threads that compare long texts without blocking the event loop. Started on first use. */
export interface ScoringPool {
  /** Null when the texts are short or the pool is closed: the caller compares them itself then. Owners take turns. */
  score(question: LexicalTask, owner?: string | null): Promise<readonly Score[]> | null;
  close(): Promise<void>;
}

interface ScoringJob {
  readonly question: LexicalTask;
  readonly resolve: (scores: readonly Score[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  job: ScoringJob | null;
}

/** Shorter texts take a few milliseconds and are not worth a thread. */
const longFrom = 8_000;

/** What a turn is compared with, such as the results of its tools, is read once and takes less time. */
const longTurnFrom = 100_000;

const file = threadFile("scoring-thread", import.meta.url);

export function createScoringPool({
  threads = Math.max(1, Math.min(4, availableParallelism() - 1)),
}: { threads?: number } = {}): ScoringPool {
  const all = new Set<Thread>();
  const waiting = createFairQueue<ScoringJob>();
  let closed = false;

  function start(): Thread {
    const thread: Thread = { worker: new Worker(file), job: null };
    all.add(thread);
    thread.worker.unref();
    thread.worker.on("message", (scores: readonly Score[]) => finish(thread, scores));
    thread.worker.on("error", (error) => retire(thread, error));
    thread.worker.on("exit", () => retire(thread, null));
    return thread;
  }

  function finish(thread: Thread, scores: readonly Score[]): void {
    const { job } = thread;
    thread.job = null;
    thread.worker.unref();
    job?.resolve(scores);
    next();
  }

  function retire(thread: Thread, error: unknown): void {
    if (!all.delete(thread)) return;
    const { job } = thread;
    thread.job = null;
    // Texts too large for a thread could bring down the whole process.
    if (isOutOfMemory(error)) job?.reject(error);
    else if (job) compareHere(job);
    next();
  }

  function next(): void {
    const idle = [...all].find(({ job }) => job === null);
    if (closed || (!idle && all.size >= threads)) return;
    const job = waiting.take();
    if (!job) return;
    const free = idle ?? start();
    free.job = job;
    free.worker.ref();
    free.worker.postMessage(job.question);
  }

  return {
    score(question, owner = null) {
      const { references, reply, turn } = question;
      const size = references.reduce((sum, text) => sum + text.length, reply.length);
      const isLong = turn ? size + turn.characters >= longTurnFrom : size >= longFrom && references.length > 0;
      if (closed || !isLong) return null;
      return new Promise((resolve, reject) => {
        waiting.add(owner, { question, resolve, reject });
        next();
      });
    },
    async close() {
      closed = true;
      for (let job = waiting.take(); job; job = waiting.take()) compareHere(job);
      await Promise.all([...all].map(({ worker }) => worker.terminate()));
    },
  };
}

/** Compares texts on this thread when theirs failed to start, crashed or was stopped. */
function compareHere({ question, resolve, reject }: ScoringJob): void {
  try {
    resolve(lexicalScores(question));
  } catch (error) {
    reject(error);
  }
}

/** A queue that serves askers round-robin, so that many items of one asker delay only that asker. */
interface FairQueue<Item> {
  add(asker: string | null, item: Item): void;
  take(): Item | undefined;
}

function createFairQueue<Item>(): FairQueue<Item> {
  /** Ordered by the time since the asker's last turn, longest first. */
  const lines = new Map<string | null, Item[]>();

  return {
    add(asker, item) {
      const line = lines.get(asker);
      if (line) line.push(item);
      else lines.set(asker, [item]);
    },
    take() {
      const [first] = lines;
      if (!first) return undefined;
      const [asker, line] = first;
      const item = line.shift();
      lines.delete(asker);
      if (line.length > 0) lines.set(asker, line);
      return item;
    },
  };
}
