import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { untilAborted } from "../../../base/deadline.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import type { AgentMemory, AgentThreads, StoredMessage, ThreadKey } from "../../../contract/ports/agent-memory.ts";
import type { Turn } from "./turn.ts";

/** Runs the turns of a thread one after another, across all processes that share the store. */
interface ThreadTurns {
  /**
   * Starts a turn once the thread is free, and frees the thread when the turn has ended, or at once if there is none. Rejects when
   * `signal` aborts first.
   */
  hold<Started extends Turn | null>(
    key: ThreadKey,
    signal: AbortSignal,
    start: () => Promise<Started>,
  ): Promise<Started>;
  /**
   * The same for new messages: `start` gets the whole conversation. An accepted turn of the thread whose process died comes first:
   * it is finished here.
   */
  append(
    key: ThreadKey,
    messages: readonly StoredMessage[],
    options: { signal: AbortSignal; start: (conversation: readonly StoredMessage[]) => Promise<Turn> },
  ): Promise<Turn>;
}

interface ThreadTurnsOptions {
  readonly memory: Pick<AgentMemory, "threads" | "openRuns">;
  /** Finishes an accepted run without a living process; null when it still has one. The caller holds its thread. */
  readonly recover: (runId: string) => Promise<Turn | null>;
  readonly limits: ThreadLimits;
  readonly log: Logger;
}

/** The limits of one request, which apply to a stored conversation too: each turn reads it and sends all of it to the model. */
export interface ThreadLimits {
  readonly messages: number;
  readonly bytes: number;
}

export function createThreadTurns({
  memory: { threads, openRuns },
  recover,
  limits,
  log,
}: ThreadTurnsOptions): ThreadTurns {
  const locks = createLocks();

  async function hold<Started extends Turn | null>(
    key: ThreadKey,
    signal: AbortSignal,
    start: (finish: (turn: Turn) => Promise<void>) => Promise<Started>,
  ): Promise<Started> {
    const unlock = await locks.acquire(JSON.stringify([key.owner, key.id]), signal);
    let before = Promise.resolve();
    const release = () =>
      void before
        .then(() => threads.release(key))
        .catch((error: unknown) => log.error({ err: error }, "a thread could not be released"))
        .finally(unlock);
    /** Waits for a turn that must end before this one begins, and before the thread is free again. */
    const finish = async (turn: Turn): Promise<void> => {
      before = turn.outcome.then(
        () => {},
        () => {},
      );
      await untilAborted(before, signal);
      // With its end the turn released the thread.
      await holdThread(threads, key, signal);
    };
    try {
      await holdThread(threads, key, signal);
      const turn = await start(finish);
      if (turn) void turn.outcome.then(release, release);
      else release();
      return turn;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Rejects while a run of the thread waits for approval: a turn started now would not see it, and be stored before it. */
  async function finishEarlier(
    key: ThreadKey,
    { signal, finish }: { signal: AbortSignal; finish: (turn: Turn) => Promise<void> },
  ): Promise<void> {
    for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, longestPauseMs)) {
      const open = await openRuns.ofThread(key);
      if (!open) return;
      if (open.waits) refuseWhileWaiting(key.id, open.runId);
      const turn = await recover(open.runId);
      if (turn) await finish(turn);
      // Its process could not store a step, and is about to give it back.
      else await sleep(pause, undefined, { signal });
    }
  }

  return {
    hold,
    append: (key, messages, { signal, start }) =>
      hold(key, signal, async (finish) => {
        await finishEarlier(key, { signal, finish });
        const known = (await threads.get(key))?.messages ?? [];
        checkThread(key.id, { known, messages, limits });
        return start([...known, ...messages]);
      }),
  };
}

const firstPauseMs = 25;
const longestPauseMs = 500;

/** Waits until no other process runs a turn of the thread. */
async function holdThread(threads: AgentThreads, key: ThreadKey, signal: AbortSignal): Promise<void> {
  for (let pause = firstPauseMs; !(await threads.hold(key)); pause = Math.min(2 * pause, longestPauseMs)) {
    await sleep(pause, undefined, { signal });
  }
}

function refuseWhileWaiting(threadId: string, runId: string): never {
  throw new ServiceError("run_not_finished", `The run ${runId} of the thread ${threadId} waits for approval.`, {
    hint: "Approve or deny its tool calls with POST /agent/runs/{run_id}/resume, or use another thread. The run stops waiting after an hour.",
  });
}

function checkThread(
  id: string,
  {
    known,
    messages,
    limits,
  }: { known: readonly StoredMessage[]; messages: readonly StoredMessage[]; limits: ThreadLimits },
): void {
  const conversation = [...known, ...messages];
  const limit =
    conversation.length > limits.messages
      ? `${limits.messages} messages (limits.max_messages)`
      : known.length > 0 && Buffer.byteLength(JSON.stringify(conversation)) > limits.bytes
        ? `${limits.bytes} bytes (REHEARSAL_MAX_BODY_BYTES)`
        : null;
  if (limit === null) return;
  throw new ServiceError(
    "validation_failed",
    `The thread ${id} is full: it holds ${known.length} messages, and with the new ones it would exceed ${limit}.`,
    { hint: "Start a new thread, or delete this one with DELETE /agent/threads/{thread_id}." },
  );
}

/** A mutex for each key; waiting callers get it in the order they came. */
interface Locks {
  /** Resolves with the function that releases the lock; rejects when `signal` aborts first. */
  acquire(key: string, signal: AbortSignal): Promise<() => void>;
}

export function createLocks(): Locks {
  const tails = new Map<string, Promise<void>>();

  return {
    async acquire(key, signal) {
      const before = tails.get(key);
      const { promise: free, resolve } = Promise.withResolvers<void>();
      const tail = before ? before.then(() => free) : free;
      tails.set(key, tail);
      const release = () => {
        resolve();
        if (tails.get(key) === tail) tails.delete(key);
      };
      if (!before) return release;
      try {
        await untilAborted(before, signal);
        return release;
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
