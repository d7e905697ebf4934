import { ServiceError } from "../../contract/errors.ts";
import type { AgentMemory, AgentTurnResult } from "../../contract/ports/agent-memory.ts";
import type { Database } from "../database.ts";
import { createPresence, type PresenceOptions } from "../presence.ts";
import { createAnswers, type StoredAnswers } from "./answers.ts";
import { createHandovers } from "./handovers.ts";
import { createRunLog, type RunLogOptions } from "./run-log.ts";
import { createThreads, type StoredThreads } from "./threads.ts";
import { tidyMemory } from "./tidy-memory.ts";
import { createWaitingRuns, putWaitingRun, type StoredWaitingRuns } from "./waiting-runs.ts";

interface AgentMemoryOptions extends Omit<PresenceOptions, "onError">, Pick<RunLogOptions, "delayMs" | "mostWaiting"> {
  readonly database: Database;
  readonly onError?: (error: unknown) => void;
  /** How long an answer is kept for its Idempotency-Key. Default: one day. */
  readonly answersMs?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface StoredAgentMemory extends AgentMemory {
  /** Writes pending log entries. Must be called before the database is closed. */
  close(): Promise<void>;
}

/** Agent memory on any database with this schema. Costs nothing until it is used. */
export function createAgentMemory({
  database,
  readNow,
  location,
  leaseMs,
  onError = () => {},
  now = Date.now,
  answersMs,
  ...log
}: AgentMemoryOptions): StoredAgentMemory {
  const presence = createPresence({ database, readNow, location, onError, ...(leaseMs !== undefined && { leaseMs }) });
  const runLog = createRunLog({ database, presence, onError, ...log });
  const threads = createThreads({ database, presence, now });
  const answers = createAnswers({ database, presence, now, ttlMs: answersMs });
  const waitingRuns = createWaitingRuns({ database, presence, now });
  let closing: Promise<void> | null = null;

  return {
    runLog,
    threads: {
      ...threads,
      async remove(key) {
        // Pending entries would otherwise be written after the deletion, and stay.
        await runLog.flush();
        return threads.remove(key);
      },
    },
    answers,
    waitingRuns,
    handovers: createHandovers({ database, now }),
    async endTurn(result) {
      // A run that can be resumed after a crash must have its beginning in the log.
      const flushed = result.waiting && runLog.flush().catch(() => {});
      const [kept] = await Promise.all([endTurn({ database, threads, answers, waitingRuns }, result), flushed]);
      return kept;
    },
    tidy: (retention) => tidyMemory({ database, presence, now: now(), retention }),
    close: () =>
      (closing ??= (async () => {
        await runLog.close();
        await presence.close().catch(onError);
      })()),
  };
}

interface EndTurnParts {
  readonly database: Database;
  readonly threads: StoredThreads;
  readonly answers: StoredAnswers;
  readonly waitingRuns: StoredWaitingRuns;
}

/**
 * Stores the results of a turn in one transaction. With two, a crash between them would leave a thread with a turn
 * whose key has no answer, and the client's retry would append the turn again.
 */
async function endTurn(
  { database, threads, answers, waitingRuns }: EndTurnParts,
  { thread, held = thread?.key, resumed, waiting, answer }: AgentTurnResult,
): Promise<boolean> {
  const kept = await database.write(async (writer) => {
    if (held && !(await threads.isOurs(writer, held))) return false;
    // Resuming a waiting run would recreate the deleted thread.
    if (waiting && held && (await threads.isDeleted(writer, held))) {
      if (resumed !== undefined) await waitingRuns.end(writer, resumed);
      return null;
    }
    if (answer && !(await answers.complete(writer, answer.key, answer.stored))) return false;
    if (resumed !== undefined && !(await waitingRuns.end(writer, resumed))) return false;
    if (waiting) await putWaitingRun(writer, waiting.runId, waiting.run);
    if (thread) await threads.append(writer, thread.key, thread.messages);
    return true;
  });
  if (kept === null) {
    throw new ServiceError("not_found", "The thread was deleted before this turn could wait for approval.", {
      hint: "No approval is pending. Send the turn again to start the thread over.",
    });
  }
  if (answer) answers.dropHold(answer.key);
  if (thread && kept) threads.dropHold(thread.key);
  return kept;
}
