import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ResourceLimits, Worker } from "node:worker_threads";

import { availableMemory } from "./process-memory.ts";
/** Runs untrusted work in a thread that can be terminated. */
interface GuardedThread<Question, Answer> {
  /**
   * Answers questions one at a time, round-robin over the askers, so that many questions of one asker delay only that asker.
   * Rejects with `ThreadOverrun` when the question exceeds a limit, and when `signal` aborts.
   */
  ask(question: Question, options?: AskOptions): Promise<Answer>;
  /** Answers pending questions until `over` aborts. A later question starts the thread again. */
  close(over?: AbortSignal): Promise<void>;
}

export interface AskOptions {
  /** Default: all callers without a name share one queue. */
  readonly asker?: string | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface GuardedThreadOptions {
  /** Starts a thread that sends one message when it is ready and one per question. */
  readonly start: (resourceLimits: ResourceLimits) => Worker;
  /** The CPU time limit of one question; on a busy machine it takes longer in wall-clock time. */
  readonly longestMs: number;
  /** The wall-clock limit as a multiple of the CPU limit. Default: 3. */
  readonly patience?: number | undefined;
  /** The memory limit of the thread; in a small container at most three eighths of its memory. */
  readonly mostMegabytes: number;
  /** The thread ends after this long without a question. */
  readonly idleMs?: number;
  /** A thread whose heap is larger than this after an answer is ended: it would keep that memory for as long as it lives. */
  readonly keptMegabytes?: number;
}

/** A question exceeded a limit; its thread was terminated. */
export class ThreadOverrun extends Error {
  override readonly name = "ThreadOverrun";
  readonly of: "time" | "memory";

  constructor(of: "time" | "memory") {
    super(`The question took too much ${of}.`);
    this.of = of;
  }
}

interface ThreadQuestion<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
  /** True when the caller has stopped waiting. */
  left: boolean;
}

/** The first question starts the thread. */
export function createGuardedThread<Question, Answer>({
  start,
  longestMs,
  patience = 3,
  mostMegabytes: wantedMegabytes,
  idleMs = 30_000,
  keptMegabytes = 64,
}: GuardedThreadOptions): GuardedThread<Question, Answer> {
  const mostMegabytes = Math.min(wantedMegabytes, Math.floor((availableMemory() * 3) / 8 / megabyte));
  /** A queue per asker. The first question of the first queue is being answered. */
  const lines = new Map<string | null, ThreadQuestion<Question, Answer>[]>();
  let working: Promise<void> | null = null;
  let thread: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;

  async function begin(): Promise<Worker> {
    // Beyond its own limit V8 may end the whole process, so our limit must trigger first.
    const worker = (thread = start({ maxOldGenerationSizeMb: 2 * mostMegabytes }));
    // Pending questions notice the end themselves; between questions it does not matter.
    worker.on("error", () => {});
    worker.on("exit", () => {
      if (thread === worker) thread = null;
    });
    await nextMessage(worker);
    return worker;
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
      const answered = nextMessage(worker, { longestMs, patience, mostMegabytes });
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

  async function endIfGrown(): Promise<void> {
    const heap = await thread?.getHeapStatistics().catch(() => null);
    if (heap && heap.total_heap_size > keptMegabytes * megabyte) await end();
  }

  async function work(): Promise<void> {
    for (const [asker, line] of lines) {
      const { question, resolve, reject, left } = line[0]!;
      if (!left) {
        await answer(question).then(resolve, reject);
        await endIfGrown();
      }
      line.shift();
      // An asker with more questions goes to the end of the round.
      lines.delete(asker);
      if (line.length > 0) lines.set(asker, line);
    }
    working = null;
  }

  function leave(asked: ThreadQuestion<Question, Answer>, reason: unknown): void {
    asked.left = true;
    asked.reject(reason);
  }

  function giveUp(): void {
    for (const asked of [...lines.values()].flat()) leave(asked, new Error(threadEnded));
    void thread?.terminate();
  }

  return {
    async ask(question, { asker = null, signal } = {}) {
      signal?.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const asked = { question, resolve, reject, left: false };
      const line = lines.get(asker) ?? [];
      lines.set(asker, line);
      line.push(asked);
      working ??= work();
      const onAbort = () => leave(asked, signal?.reason);
      signal?.addEventListener("abort", onAbort);
      return promise.finally(() => signal?.removeEventListener("abort", onAbort));
    },
    async close(over) {
      over?.addEventListener("abort", giveUp);
      if (over?.aborted) giveUp();
      await working;
      over?.removeEventListener("abort", giveUp);
      await end();
    },
  };
}

const threadEnded = "The thread has ended.";

const megabyte = 1024 * 1024;

type GuardLimits = Pick<GuardedThreadOptions, "longestMs" | "mostMegabytes"> & { readonly patience: number };

/** Rejects when the thread exits or exceeds a limit. */
async function nextMessage(worker: Worker, limits?: GuardLimits): Promise<unknown> {
  const over = new AbortController();
  const died = () => over.abort(new Error(threadEnded));
  using watch = new DisposableStack();
  if (limits) {
    watch.use(onceWorked(worker, limits, () => over.abort(new ThreadOverrun("time"))));
    watch.use(onceGrown(worker, limits.mostMegabytes, () => over.abort(new ThreadOverrun("memory"))));
  }
  worker.once("exit", died);
  try {
    const [message] = (await once(worker, "message", { signal: over.signal })) as [unknown];
    return message;
  } catch (error) {
    if (isOutOfMemory(error)) throw new ThreadOverrun("memory");
    throw error instanceof Error && error.name === "AbortError" ? error.cause : error;
  } finally {
    worker.off("exit", died);
  }
}

/** The shortest interval between two looks at the CPU time. */
const shortestMs = 20;

function onceWorked(worker: Worker, { longestMs: limitMs, patience }: GuardLimits, tell: () => void): Disposable {
  const before = worker.cpuUsage().catch(() => undefined);
  let timer = setTimeout(look, limitMs);
  const last = setTimeout(tell, limitMs * patience);
  let done = false;

  async function look(): Promise<void> {
    const worked = await worker.cpuUsage(await before).catch(() => null);
    // A late timer may fire together with the answer; the answer wins.
    await nextTurn();
    if (done || !worked) return;
    const leftMs = limitMs - (worked.user + worked.system) / 1_000;
    if (leftMs <= 0) tell();
    else timer = setTimeout(look, Math.max(leftMs, shortestMs));
  }

  return {
    [Symbol.dispose]() {
      done = true;
      clearTimeout(timer);
      clearTimeout(last);
    },
  };
}

/** Short enough that a thread cannot allocate much more than its limit between two looks. */
const betweenLooksMs = 100;

function onceGrown(worker: Worker, mostMegabytes: number, tell: () => void): Disposable {
  const timer = setInterval(async () => {
    const heap = await worker.getHeapStatistics().catch(() => null);
    // Decompressed data is external memory, not heap.
    if (heap && heap.used_heap_size + heap.external_memory > mostMegabytes * megabyte) tell();
  }, betweenLooksMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** True when a thread died because it ran out of memory. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}
