import { createSemaphore } from "../../base/semaphore.ts";
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
}

/** An error that users' code gave as its answer. */
export class CodeError extends Error {
  override readonly name = "CodeError";
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
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
    const pooled: PooledProcess = { program, process, idleTimer: undefined };
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

  async function acquire(program: CodeProgram, signal: AbortSignal): Promise<PooledProcess> {
    const known = [...idle].findLast((pooled) => pooled.program === program && pooled.process.usable);
    if (known) return take(known);
    // Of all idle processes, the one that waits longest makes room.
    const [oldest] = idle;
    if (oldest && all.size >= processes) take(oldest).process.end();
    const started = start(program);
    try {
      result(await started.process.ask("start", program.start ?? null, { ms: startMs, signal }));
      return started;
    } catch (error) {
      started.process.end();
      throw error;
    }
  }

  function result(answer: CodeAnswer): unknown {
    if ("error" in answer) throw new CodeError(answer.error.message, answer.error.code);
    return answer.result;
  }

  async function release(pooled: PooledProcess): Promise<void> {
    const { process } = pooled;
    const used = process.usable ? await process.memory() : null;
    if (closing.signal.aborted || (used !== null && used > memoryMb * keptShare)) process.end();
    if (!process.usable) return;
    idle.add(pooled);
    pooled.idleTimer = setTimeout(() => take(pooled).process.end(), idleMs);
    pooled.idleTimer.unref();
  }

  return {
    call(program, { method, params, signal }) {
      const either = AbortSignal.any([signal, closing.signal]);
      return slots.take(either, async () => {
        const pooled = await acquire(program, either);
        try {
          return result(await pooled.process.ask(method, params, { ms: timeoutMs, signal: either }));
        } finally {
          await release(pooled);
        }
      });
    },
    prepare: (program, signal) => slots.take(signal, async () => release(await acquire(program, signal))),
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("The processes of user code are stopped."));
      const running = [...all].map(({ process }) => process);
      for (const process of running) process.end();
      await Promise.all(running.map(({ ended }) => ended));
    },
  };
}
