import { ServiceError } from "../../contract/errors/errors.ts";
import type { AcceptedRun, AgentMemory, AgentTurnResult } from "../../contract/ports/agent-memory.ts";
import type { Database } from "../tables/database.ts";
import { createPresence, type PresenceOptions } from "../leases/presence.ts";
import { createAnswers, type StoredAnswers } from "./answers.ts";
import { createHandovers } from "./handovers.ts";
import { createOpenRuns, type StoredOpenRuns } from "./open-runs.ts";
import { createRunLog, type RunLogOptions } from "./run-log.ts";
import { createResponses, type StoredResponses } from "./responses.ts";
import { createThreads, type StoredThreads } from "./threads.ts";
import { tidyMemory } from "./tidy-memory.ts";

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
  const presence = createPresence({ database, readNow, location, onError, leaseMs });
  const runLog = createRunLog({ database, presence, onError, ...log });
  const threads = createThreads({ database, presence, now });
  const answers = createAnswers({ database, presence, now, ttlMs: answersMs });
  const openRuns = createOpenRuns({ database, presence, now });
  const responses = createResponses({ database, now });
  const parts = { database, threads, answers, openRuns, responses };
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
    openRuns,
    handovers: createHandovers({ database, now }),
    responses,
    async acceptTurn(runId, run) {
      await presence.ensureVisible();
      await acceptTurn(parts, runId, run);
    },
    async endTurn(result) {
      // A run that can be resumed after a crash must have its beginning in the log.
      const flushed = result.waiting && runLog.flush().catch(() => {});
      const [kept] = await Promise.all([endTurn(parts, result), flushed]);
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

interface TurnParts {
  readonly database: Database;
  readonly threads: StoredThreads;
  readonly answers: StoredAnswers;
  readonly openRuns: StoredOpenRuns;
  readonly responses: StoredResponses;
}

/** Stores a turn beside the claim of its key and the hold of its thread, if both are still this process's. */
async function acceptTurn(
  { database, threads, answers, openRuns, responses }: TurnParts,
  runId: string,
  run: AcceptedRun,
): Promise<void> {
  const { owner, thread_id, answer_key: key, response } = run;
  const accepted = await database.write(async (writer) => {
    if (key && !(await answers.isOurs(writer, key))) return false;
    if (thread_id !== null && !(await threads.isOurs(writer, { owner, id: thread_id }))) return false;
    await openRuns.accept(writer, runId, run);
    if (response) await responses.accept(writer, { ...response, runId, owner, threadId: thread_id });
    return true;
  });
  if (accepted) return openRuns.hold(runId);
  throw new ServiceError("idempotency_in_progress", "Another process has started this turn again, or its thread.", {
    retryAfterMs: 1000,
  });
}

/**
 * Stores the results of a turn in one transaction. With two, a crash between them would leave a thread with a turn
 * whose key has no answer, and the client's retry would append the turn again.
 */
async function endTurn(
  { database, threads, answers, openRuns, responses }: TurnParts,
  { thread, held = thread?.key, ended, waiting, response, answer }: AgentTurnResult,
): Promise<boolean> {
  const kept = await database.write(async (writer) => {
    if (held && !(await threads.isOurs(writer, held))) return false;
    // Resuming a waiting run would recreate the deleted thread.
    if (waiting && held && (await threads.isDeleted(writer, held))) {
      if (ended !== undefined) await openRuns.end(writer, ended);
      return null;
    }
    if (answer && !(await answers.complete(writer, answer.key, answer.stored))) return false;
    if (ended !== undefined && !(await openRuns.end(writer, ended))) return false;
    if (waiting) await openRuns.putWaiting(writer, waiting.runId, waiting.run);
    if (thread) await threads.append(writer, thread.key, thread.messages);
    if (response) await responses.complete(writer, response);
    return true;
  });
  if (kept === null) {
    throw new ServiceError("not_found", "The thread was deleted before this turn could wait for approval.", {
      hint: "No approval is pending. Send the turn again to start the thread over.",
    });
  }
  if (ended !== undefined) openRuns.dropHold(ended);
  if (answer) answers.dropHold(answer.key);
  if (thread && kept) threads.dropHold(thread.key);
  return kept;
}
