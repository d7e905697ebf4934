import type { AgentOutcome } from "../../../agent/loop/agent-outcome.ts";
import { toAgentReply } from "../../../agent/messages/agent-reply.ts";
import type { StoredAnswer } from "../../../contract/ports/agent-memory.ts";
import type { Turn } from "./turn.ts";
import { totalsHeaders, toTurnError, turnHeaders } from "./turn-headers.ts";

/** The answer to POST /, the same for everyone who waits for the turn. Rejects with what the client is told instead. */
export async function answerOf(turn: Turn): Promise<StoredAnswer> {
  return toAnswer(turn, await turn.outcome);
}

export function toAnswer(turn: Pick<Turn, "runId" | "resolved">, outcome: AgentOutcome): StoredAnswer {
  if (!outcome.ok) throw toTurnError(turn, outcome.error);
  return {
    reply: toAgentReply(outcome, `run--${turn.runId}`),
    headers: { ...turnHeaders(turn), ...totalsHeaders(outcome) },
  };
}
