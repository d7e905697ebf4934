import { publicErrorMessage } from "../../base/format.ts";
import { createSemaphore, type Semaphore } from "../../base/semaphore.ts";
import { CodeProcess, type CodeProgram } from "./code-process.ts";
import type { CodeAnswer } from "./protocol.ts";

export interface CodeLimits {
  /** Time for one call, in milliseconds. */
  readonly timeoutMs: number;
  /** Memory of one process. */
  readonly memoryMb: number;
  /** Processes at the same time. */
  readonly processes: number;
  /** Time in which a process must have started and loaded its code. Default: 30 s. */
  readonly startMs?: number;
}

interface CodeHostOptions {
  readonly limits: CodeLimits;
  /** Processes that were not asked for so long are ended. */
  readonly idleMs?: number;
  /** Called with each line that users' code prints. */
  readonly onOutput?: ((line: string, program: CodeProgram) => void) | undefined;
}

interface CodeCall {
  readonly method: string;
  readonly params: unknown;
  readonly signal: AbortSignal;
  /** The conversation of the call: all its calls go to one process, while that lives. */
  readonly session?: CodeSession | undefined;
}

interface CodeSession {
  readonly id: string;
  /** Aborts when the conversation is over. Without it, the process is kept like one without conversations. */
  readonly end?: AbortSignal | undefined;
  /** The parameters of its earlier calls: a process that does not know the conversation is asked them first. */
  readonly earlier: readonly unknown[];
}

/** An error that users' code gave as its answer. */
export class CodeError extends Error {
  override readonly name = "CodeError";
  readonly code: string | undefined;
  /** A traceback. */
  readonly details: string | undefined;

  constructor(message: string, { code, details }: { readonly code?: string; readonly details?: string } = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** The reason of a failure, with the traceback where there is one. */
export function withTraceback(error: unknown): string {
  const reason = publicErrorMessage(error);
  return error instanceof CodeError && error.details !== undefined ? `${reason}\n${error.details.trimEnd()}` : reason;
}

/**
 * Runs code of users in child processes, which are kept and reused. Each answers one call at a time, so a call that hangs, exits or
 * eats memory harms no other.
 */
export interface CodeHost extends AsyncDisposable {
  /** Rejects with a `CodeError` that the code answered, or with a `CodeFailure` when there is no answer. */
  call(program: CodeProgram, call: CodeCall): Promise<unknown>;
  /** Starts a process of this program and keeps it. Rejects like `call`. */
  prepare(program: CodeProgram, signal: AbortSignal): Promise<void>;
}

interface PooledProcess {
  readonly program: CodeProgram;
  readonly process: CodeProcess;
  idleTimer: NodeJS.Timeout | undefined;
  /** The conversations that it knows. */
  readonly sessions: Set<string>;
  /** Those of them that are not over. */
  readonly live: Set<string>;
  /** Rejects when the code cannot be loaded. */
  readonly ready: Promise<unknown>;
  /** One call at a time. */
  readonly turns: Semaphore;
  /** Calls that it answers, and those that wait for it. */
  calls: number;
  /** Set when it has grown so much that it gets no more conversations. */
  isFull: boolean;
}

/** A process that has grown beyond this share of its limit is replaced, so that a later call does not pay for earlier ones. */
const keptShare = 0.75;

export function createCodeHost({ limits, idleMs = 30_000, onOutput }: CodeHostOptions): CodeHost {
  const { timeoutMs, memoryMb, processes, startMs = 30_000 } = limits;
  const slots = createSemaphore(processes);
  const idle = new Set<PooledProcess>();
  const all = new Set<PooledProcess>();
  const closing = new AbortController();

  function start(program: CodeProgram): PooledProcess {
    const process = new CodeProcess({
      program,
      memoryMb,
      onOutput: onOutput && ((line) => onOutput(line, program)),
    });
    const ready = process.ask("start", program.start ?? null, { ms: startMs, signal: closing.signal }).then(result);
    ready.catch(() => process.end());
    const pooled: PooledProcess = {
      program,
      process,
      ready,
      idleTimer: undefined,
      sessions: new Set(),
      live: new Set(),
      turns: createSemaphore(1),
      calls: 0,
      isFull: false,
    };
    all.add(pooled);
    void process.ended.then(() => {
      all.delete(pooled);
      take(pooled);
    });
    return pooled;
  }

  function take(pooled: PooledProcess): PooledProcess {
    clearTimeout(pooled.idleTimer);
    idle.delete(pooled);
    return pooled;
  }

  /** The process that knows the conversation; else one without conversations, a new one, or the one with the fewest. */
  function choose(program: CodeProgram, session: CodeSession | undefined): PooledProcess {
    const own = [...all].filter((pooled) => pooled.program === program && pooled.process.usable);
    const known = session && own.find(({ sessions }) => sessions.has(session.id));
    const free = [...idle].findLast((pooled) => own.includes(pooled) && pooled.live.size === 0);
    const found = known ?? free;
    if (found) return take(found);
    if (all.size < processes) return start(program);
    // Of the idle processes without conversations, the one that waits longest makes room.
    const spare = [...idle].find(({ live }) => live.size === 0);
    const [fewest] = own
      .filter(({ isFull }) => !isFull)
      .toSorted((left, right) => left.live.size - right.live.size || left.calls - right.calls);
    if (!spare && fewest) return take(fewest);
    const [oldest] = spare ? [spare] : idle;
    if (oldest) take(oldest).process.end();
    return start(program);
  }

  /** Notes that the process knows the conversation, until it is over. */
  function join(pooled: PooledProcess, { id, end }: CodeSession): void {
    pooled.sessions.add(id);
    if (!end || end.aborted) return;
    pooled.live.add(id);
    end.addEventListener(
      "abort",
      () => {
        pooled.live.delete(id);
        pooled.sessions.delete(id);
        void endSession(pooled, id).then(() => settle(pooled));
      },
      { once: true },
    );
  }

  /** Tells a process that holds something for each conversation. */
  async function endSession({ program, process, turns }: PooledProcess, id: string): Promise<void> {
    if (program.endsSessions !== true || !process.usable) return;
    const params = { session_id: id };
    const tell = () => process.ask("session.end", params, { ms: timeoutMs, signal: closing.signal });
    await turns.take(closing.signal, tell).catch(() => {});
  }

  function result(answer: CodeAnswer): unknown {
    if ("error" in answer) throw new CodeError(answer.error.message, answer.error);
    return answer.result;
  }

  /** Keeps a process that answers no call, or ends it: one that has grown ends with its last conversation. */
  async function settle(pooled: PooledProcess): Promise<void> {
    const { process } = pooled;
    const used = process.usable && pooled.calls === 0 ? await process.memory() : null;
    if (pooled.calls > 0 && !closing.signal.aborted) return;
    pooled.isFull ||= used !== null && used > memoryMb * keptShare;
    if (closing.signal.aborted || (pooled.isFull && pooled.live.size === 0)) process.end();
    if (!process.usable) return;
    clearTimeout(pooled.idleTimer);
    idle.add(pooled);
    if (pooled.live.size > 0) return;
    pooled.idleTimer = setTimeout(() => take(pooled).process.end(), idleMs);
    pooled.idleTimer.unref();
  }

  /** Works with a process while it answers no other call. */
  async function use<Result>(
    program: CodeProgram,
    { session, signal }: { readonly session?: CodeSession | undefined; readonly signal: AbortSignal },
    work: (pooled: PooledProcess) => Promise<Result>,
  ): Promise<Result> {
    const pooled = choose(program, session);
    pooled.calls += 1;
    try {
      return await pooled.turns.take(signal, async () => {
        await withAbort(pooled.ready, signal);
        return work(pooled);
      });
    } finally {
      pooled.calls -= 1;
      await settle(pooled);
    }
  }

  return {
    call(program, { method, params, signal, session }) {
      const either = AbortSignal.any([signal, closing.signal]);
      const ask = async ({ process }: PooledProcess, asked: unknown): Promise<unknown> =>
        result(await process.ask(method, asked, { ms: timeoutMs, signal: either }));
      return slots.take(either, () =>
        use(program, { session, signal: either }, async (pooled) => {
          if (session && !pooled.sessions.has(session.id)) {
            for (const earlier of session.earlier) await ask(pooled, earlier);
            join(pooled, session);
          }
          return ask(pooled, params);
        }),
      );
    },
    prepare: (program, signal) => slots.take(signal, () => use(program, { signal }, async () => {})),
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("The processes of user code are stopped."));
      const running = [...all].map(({ process }) => process);
      for (const process of running) process.end();
      await Promise.all(running.map(({ ended }) => ended));
    },
  };
}

/** Rejects when the signal aborts first. */
async function withAbort<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
