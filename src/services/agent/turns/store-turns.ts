import type { SuccessfulOutcome } from "../../../agent/loop/agent-outcome.ts";
import type { AgentMessage } from "../../../contract/schemas/agent-message.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { AgentMemory, AgentTurnResult } from "../../../contract/ports/agent-memory.ts";
import { toAnswer } from "./turn-answer.ts";
import type { Turn, TurnRequest } from "./turn.ts";
import { toWaitingState } from "./waiting-state.ts";

interface AnsweredTurn extends Pick<Turn, "runId" | "resolved"> {
  readonly outcome: SuccessfulOutcome;
}

/** Stores what a turn leaves behind. A plain turn leaves nothing. */
export type StoreTurn = (request: TurnRequest, turn: AnsweredTurn) => Promise<void>;

interface StoreTurnsOptions {
  readonly memory: Pick<AgentMemory, "endTurn">;
  /** Told why an answer could not be kept. */
  readonly onUnkept: (error: unknown) => void;
}

/** How long a run waits for approval. */
const approvalMs = 60 * 60_000;

/** Rejects when a thread or a run that waits could not be stored: an answer must not speak of what is not there. */
export function storeTurns({ memory, onUnkept }: StoreTurnsOptions): StoreTurn {
  function toRest(request: TurnRequest, { runId, outcome }: AnsweredTurn): AgentTurnResult | null {
    const { owner, thread } = request;
    const resumed = request.resumed ? { resumed: runId } : null;
    if (outcome.pending_run) {
      const state = toWaitingState(request, outcome.pending_run);
      const run = { owner, state, expires_at: Date.now() + approvalMs };
      return { ...resumed, waiting: { runId, run }, ...(thread && { held: { owner, id: thread.id } }) };
    }
    if (!thread) return resumed;
    const messages = [...thread.messages, toMessage(outcome)];
    return { ...resumed, thread: { key: { owner, id: thread.id }, messages } };
  }

  return async (request, turn) => {
    const { answerKey: key } = request;
    const answer = key && { key, stored: toAnswer(turn, turn.outcome) };
    const rest = toRest(request, turn);
    if (rest) {
      if (await memory.endTurn({ ...rest, answer })) return;
      throw new ServiceError(
        "idempotency_in_progress",
        "Another process has begun this turn anew, or gone on with its thread.",
        { retryAfterMs: 1000 },
      );
    }
    // A store that fails costs only the replay.
    if (answer) await memory.endTurn({ answer }).catch(onUnkept);
  };
}

/** The reply as a thread keeps it. A refusal is what was said: an empty message would tell the model nothing. */
function toMessage({ reply, pending_tool_calls }: SuccessfulOutcome): AgentMessage {
  const calls = pending_tool_calls.map(({ id, name, args }) => ({
    id,
    name,
    args: { ...args },
    type: "tool_call" as const,
  }));
  const content = reply.text === "" ? (reply.refusal ?? "") : reply.text;
  return { type: "ai", content, ...(calls.length > 0 && { tool_calls: calls }) };
}
