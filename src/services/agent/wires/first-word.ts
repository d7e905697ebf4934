import type { AgentEvent } from "../../../agent/loop/agent-outcome.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { inTime } from "../../../base/deadline.ts";
import type { Turn } from "../turns/turn.ts";
import { toTurnError } from "../turns/turn-headers.ts";

/**
 * Waits until the turn speaks or ends: a failure before the first word can still be an ordinary status, which clients
 * know how to retry. With `showsTools` a tool that is used counts as a word, since the wire has something to tell then. After
 * `patienceMs` the stream begins anyway, so that the connection is not taken for dead.
 */
export async function untilFirstWord(
  turn: Turn,
  { patienceMs, showsTools = false }: { patienceMs: number; showsTools?: boolean },
): Promise<void> {
  const spoken = Promise.withResolvers<null>();
  const stopListening = turn.listen((event) => {
    if (isWord(event) || (showsTools && isToolEvent(event))) spoken.resolve(null);
  });
  try {
    const outcome = await inTime(Promise.race([turn.outcome, spoken.promise]), patienceMs);
    if (outcome && !outcome.ok) throw toTurnError(turn, outcome.error);
  } catch (error) {
    throw error instanceof ServiceError ? withRun(error, turn) : error;
  } finally {
    stopListening();
  }
}

/** What is thought counts: it is shown while the person waits for the reply. */
function isWord({ type }: AgentEvent): boolean {
  return type === "text-delta" || type === "reasoning-delta";
}

function isToolEvent({ type }: AgentEvent): boolean {
  return type === "tool-start" || type === "tool-skipped";
}

function withRun(error: ServiceError, turn: Turn): ServiceError {
  if (error.headers["x-run-id"] !== undefined) return error;
  return new ServiceError(error.code, error.message, { cause: error, headers: { "x-run-id": turn.runId } });
}
