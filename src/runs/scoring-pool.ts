import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { threadFile } from "../base/thread-file.ts";
import type { Score } from "../contract/schemas/score.ts";
import { lexicalScores, type LexicalTask } from "../evaluation/scorers/built-in-scorers.ts";
import { isOutOfMemory } from "./is-out-of-memory.ts";

/** Threads that compare long texts, so that the event loop does not wait for them. Started when first needed. */
export interface ScoringPool {
  /** Null when the texts are short or the pool is closed: whoever asks compares them then. Those of several owners go in turn. */
  score(question: LexicalTask, owner?: string | null): Promise<readonly Score[]> | null;
  close(): Promise<void>;
}

interface Job {
  readonly question: LexicalTask;
  readonly resolve: (scores: readonly Score[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | null;
}

/** Reply and references of fewer characters together are not worth a thread: that takes a few milliseconds. */
const longFrom = 8_000;

const file = threadFile("scoring-thread", import.meta.url);

export function createScoringPool({
  threads = Math.max(1, Math.min(4, availableParallelism() - 1)),
}: { threads?: number } = {}): ScoringPool {
  const all = new Set<Thread>();
  const waiting = createFairLine<Job>();
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
    // What was too large for a thread could take the whole process with it here.
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
      const size = question.references.reduce((sum, text) => sum + text.length, question.reply.length);
      if (closed || size < longFrom || question.references.length === 0) return null;
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

/** For texts whose thread could not start, broke or was stopped: they are compared without one, and fail by themselves if they must. */
function compareHere({ question, resolve, reject }: Job): void {
  try {
    resolve(lexicalScores(question));
  } catch (error) {
    reject(error);
  }
}

/** Things that wait, one of each asker in turn: whoever brings much waits for it alone. */
interface FairLine<Item> {
  add(asker: string | null, item: Item): void;
  /** The next one, if there is any. */
  take(): Item | undefined;
}

function createFairLine<Item>(): FairLine<Item> {
  /** The asker who has waited longest since it was last its turn comes first. */
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
