import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { isOutOfMemory } from "./is-out-of-memory.ts";

/** Works on what strangers have written: whatever that does, only the thread is busy with it, and can be ended. */
export interface GuardedThread<Question, Answer> {
  /** Questions are answered one after the other. Rejects with `ThreadOverrun` when this one took too much. */
  ask(question: Question): Promise<Answer>;
  /** What was asked is still answered. Whoever asks later starts the thread again. */
  close(): Promise<void>;
}

export interface GuardedThreadOptions {
  /** Begins a thread that says something when it is ready, and then one thing for every question. */
  readonly start: () => Worker;
  /** How long one question may take. */
  readonly longestMs: number;
  /** A thread that has had nothing to do for so long is ended. */
  readonly idleMs?: number;
}

/** A question that took more than it may: its thread is no more. */
export class ThreadOverrun extends Error {
  override readonly name = "ThreadOverrun";
  readonly of: "time" | "memory";

  constructor(of: "time" | "memory") {
    super(`The question took too much ${of}.`);
    this.of = of;
  }
}

/** The thread is started by the first question. */
export function createGuardedThread<Question, Answer>({
  start,
  longestMs,
  idleMs = 30_000,
}: GuardedThreadOptions): GuardedThread<Question, Answer> {
  let last: Promise<unknown> = Promise.resolve();
  let thread: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;

  async function begin(): Promise<Worker> {
    const worker = start();
    // Its end is seen by whoever waits for an answer; between two questions it is nobody's business.
    worker.on("error", () => {});
    worker.on("exit", () => {
      if (thread === worker) thread = null;
    });
    await nextMessage(worker);
    return (thread = worker);
  }

  async function end(): Promise<void> {
    clearTimeout(idle);
    const worker = thread;
    thread = null;
    await worker?.terminate();
  }

  async function answer(question: Question): Promise<Answer> {
    clearTimeout(idle);
    const worker = thread ?? (await begin());
    worker.ref();
    try {
      const answered = nextMessage(worker, longestMs);
      worker.postMessage(question);
      return (await answered) as Answer;
    } catch (error) {
      await end();
      throw error;
    } finally {
      worker.unref();
      idle = setTimeout(() => void end(), idleMs).unref();
    }
  }

  return {
    ask(question) {
      const asked = last.then(() => answer(question));
      last = asked.catch(() => {});
      return asked;
    },
    async close() {
      await last;
      await end();
    },
  };
}

/** Rejects when the thread ends without a word or, where a limit is given, says nothing for so long. */
async function nextMessage(worker: Worker, longestMs?: number): Promise<unknown> {
  const over = new AbortController();
  const died = () => over.abort(new Error("The thread has ended."));
  // A timer that comes late may come together with the answer, which counts then.
  const late = () => void nextTurn().then(() => over.abort(new ThreadOverrun("time")));
  const timer = longestMs === undefined ? undefined : setTimeout(late, longestMs);
  worker.once("exit", died);
  try {
    const [message] = (await once(worker, "message", { signal: over.signal })) as [unknown];
    return message;
  } catch (error) {
    if (isOutOfMemory(error)) throw new ThreadOverrun("memory");
    throw error instanceof Error && error.name === "AbortError" ? error.cause : error;
  } finally {
    clearTimeout(timer);
    worker.off("exit", died);
  }
}
