import type { AgentMemory } from "../../contract/ports/agent-memory.ts";
import type { Database } from "../database.ts";
import { createAnswers } from "./answers.ts";
import { endTurn } from "./end-turn.ts";
import { createPresence, type PresenceOptions } from "../presence.ts";
import { createRunLog, type RunLogOptions } from "./run-log.ts";
import { createThreads } from "./threads.ts";
import { tidyMemory } from "./tidy-memory.ts";
import { createWaitingRuns } from "./waiting-runs.ts";

interface AgentMemoryOptions extends Omit<PresenceOptions, "onError">, Pick<RunLogOptions, "delayMs" | "mostWaiting"> {
  readonly database: Database;
  readonly onError?: (error: unknown) => void;
  /** How long an answer is kept for its Idempotency-Key. Default: a day. */
  readonly answersMs?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface StoredAgentMemory extends AgentMemory {
  /** Writes what is left. Comes before the database is closed. */
  close(): Promise<void>;
}

/** What the agent remembers, on any database that has our schema. Costs nothing until it is used. */
export function createAgentMemory({
  database,
  readNow,
  place,
  leaseMs,
  onError = () => {},
  now = Date.now,
  answersMs,
  ...log
}: AgentMemoryOptions): StoredAgentMemory {
  const presence = createPresence({ database, readNow, place, onError, ...(leaseMs !== undefined && { leaseMs }) });
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
        // What still waits to be written would come after the deletion, and stay.
        await runLog.flush();
        return threads.remove(key);
      },
    },
    answers,
    waitingRuns,
    async endTurn(result) {
      // A run that can be resumed after a kill must have its beginning in the log.
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
