import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ResourceLimits, Worker } from "node:worker_threads";
import { isOutOfMemory } from "./is-out-of-memory.ts";
import { availableMemory } from "./process-memory.ts";

/** Works on what strangers have written: whatever that does, only the thread is busy with it, and can be ended. */
interface GuardedThread<Question, Answer> {
  /**
   * Questions are answered one after the other, one of each asker in turn: whoever asks much waits for it alone. Rejects with
   * `ThreadOverrun` when this one took too much, and when `signal` aborts.
   */
  ask(question: Question, options?: AskOptions): Promise<Answer>;
  /** What was asked is still answered, until `over` aborts. Whoever asks later starts the thread again. */
  close(over?: AbortSignal): Promise<void>;
}

export interface AskOptions {
  /** Default: all who do not say who they are are one. */
  readonly asker?: string | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface GuardedThreadOptions {
  /** Begins a thread that says something when it is ready, and then one thing for every question. */
  readonly start: (resourceLimits: ResourceLimits) => Worker;
  /** How long the thread may work on one question: on a busy machine, which keeps it waiting, that takes longer. */
  readonly longestMs: number;
  /** How much memory it may take; in a small container no more than three eighths of what there is. */
  readonly mostMegabytes: number;
  /** A thread that has had nothing to do for so long is ended. */
  readonly idleMs?: number;
  /** A thread whose heap is larger after an answer is ended at once: it keeps what it has grown by for as long as it lives. */
  readonly keptMegabytes?: number;
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

interface Asked<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
  /** Nobody waits for the answer any more. */
  left: boolean;
}

/** The thread is started by the first question. */
export function createGuardedThread<Question, Answer>({
  start,
  longestMs,
  mostMegabytes: wantedMegabytes,
  idleMs = 30_000,
  keptMegabytes = 64,
}: GuardedThreadOptions): GuardedThread<Question, Answer> {
  const mostMegabytes = Math.min(wantedMegabytes, Math.floor((availableMemory() * 3) / 8 / megabyte));
  /** What each asker waits for. The first in line is being answered. */
  const lines = new Map<string | null, Asked<Question, Answer>[]>();
  let working: Promise<void> | null = null;
  let thread: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;

  async function begin(): Promise<Worker> {
    // Beyond its own limit V8 may end the whole process: we have to see it first.
    const worker = (thread = start({ maxOldGenerationSizeMb: 2 * mostMegabytes }));
    // Its end is seen by whoever waits for an answer; between two questions it is nobody's business.
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
      const answered = nextMessage(worker, { longestMs, mostMegabytes });
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
      // Whoever has more to ask goes behind all others.
      lines.delete(asker);
      if (line.length > 0) lines.set(asker, line);
    }
    working = null;
  }

  function leave(asked: Asked<Question, Answer>, reason: unknown): void {
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

type Limits = Pick<GuardedThreadOptions, "longestMs" | "mostMegabytes">;

/** Rejects when the thread ends without a word or, where limits are given, has passed one. */
async function nextMessage(worker: Worker, limits?: Limits): Promise<unknown> {
  const over = new AbortController();
  const died = () => over.abort(new Error(threadEnded));
  using watch = new DisposableStack();
  if (limits) {
    watch.use(onceWorked(worker, limits.longestMs, () => over.abort(new ThreadOverrun("time"))));
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

/** However little it could work, after so many times the limit it has kept others waiting for too long. */
const mostPatience = 3;
/** So much later it is asked again at the earliest. */
const shortestMs = 20;

function onceWorked(worker: Worker, limitMs: number, tell: () => void): Disposable {
  const before = worker.cpuUsage().catch(() => undefined);
  let timer = setTimeout(look, limitMs);
  const last = setTimeout(tell, limitMs * mostPatience);
  let done = false;

  async function look(): Promise<void> {
    const worked = await worker.cpuUsage(await before).catch(() => null);
    // A timer that comes late may come together with the answer, which counts then.
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

/** Time in which a thread takes no more than its limit again. */
const betweenLooksMs = 100;

function onceGrown(worker: Worker, mostMegabytes: number, tell: () => void): Disposable {
  const timer = setInterval(async () => {
    const heap = await worker.getHeapStatistics().catch(() => null);
    // What a thread unpacks is bytes, which are not on its heap.
    if (heap && heap.used_heap_size + heap.external_memory > mostMegabytes * megabyte) tell();
  }, betweenLooksMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
