import type { AgentTurnResult } from "../../contract/ports/agent-memory.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Database } from "../database.ts";
import type { StoredAnswers } from "./answers.ts";
import type { StoredThreads } from "./threads.ts";
import { putWaitingRun, type StoredWaitingRuns } from "./waiting-runs.ts";

interface EndTurnParts {
  readonly database: Database;
  readonly threads: StoredThreads;
  readonly answers: StoredAnswers;
  readonly waitingRuns: StoredWaitingRuns;
}

/**
 * Keeps what a turn leaves behind in one transaction: were it two, a kill between them would leave a thread with a turn
 * whose key has no answer, and the client's repetition would add the turn again.
 */
export async function endTurn(
  { database, threads, answers, waitingRuns }: EndTurnParts,
  { thread, held = thread?.key, resumed, waiting, answer }: AgentTurnResult,
): Promise<boolean> {
  const kept = await database.write(async (writer) => {
    if (held && !(await threads.isOurs(writer, held))) return false;
    // To go on with what waits would bring the thread back.
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
    throw new ServiceError("not_found", "The thread was deleted before this turn came to wait for approval in it.", {
      hint: "Nothing waits. Send the turn again: it begins the thread anew.",
    });
  }
  if (answer) answers.letGo(answer.key);
  if (thread && kept) threads.letGo(thread.key);
  return kept;
}
