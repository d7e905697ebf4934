import type { PendingRun, SuccessfulOutcome } from "../../../agent/loop/agent-outcome.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { AgentMemory, AgentTurnResult } from "../../../contract/ports/agent-memory.ts";
import type { ModelParameters, ToolDefinition } from "../../../contract/ports/chat-model.ts";
import type { AgentMessage } from "../../../contract/schemas/agent-message.ts";
import type { AgentWire } from "../../../contract/schemas/agent-run.ts";
import { toAnswer } from "./turn-answer.ts";
import type { Turn, TurnRequest } from "./turn.ts";

interface AnsweredTurn extends Pick<Turn, "runId" | "resolved"> {
  readonly outcome: SuccessfulOutcome;
  /** True for a run that had waited for approval. */
  readonly resumed: boolean;
}

/** Stores the result of a turn: its thread, its waiting run and its answer. A turn with none of these stores nothing. */
export type StoreTurn = (request: TurnRequest, turn: AnsweredTurn) => Promise<void>;

interface StoreTurnsOptions {
  readonly memory: Pick<AgentMemory, "endTurn">;
  /** Called when the answer for an Idempotency-Key could not be stored. */
  readonly onAnswerLost: (error: unknown) => void;
}

/** How long a run waits for approval. */
const approvalMs = 60 * 60_000;

/** Rejects when a thread or a waiting run could not be stored: an answer must not refer to something that is not there. */
export function storeTurns({ memory, onAnswerLost }: StoreTurnsOptions): StoreTurn {
  return async (request, turn) => {
    const { answerKey: key } = request;
    const answer = key && { key, stored: toAnswer(turn, turn.outcome) };
    const result = toResult(request, turn);
    if (result) {
      if (await memory.endTurn({ ...result, answer })) return;
      throw new ServiceError(
        "idempotency_in_progress",
        "Another process has started this turn again, or has continued its thread.",
        { retryAfterMs: 1000 },
      );
    }
    // Losing the answer costs only the replay.
    if (answer) await memory.endTurn({ answer }).catch(onAnswerLost);
  };
}

function toResult(request: TurnRequest, { runId, outcome, resumed }: AnsweredTurn): AgentTurnResult | null {
  const { owner, thread } = request;
  const ended = resumed ? { resumed: runId } : null;
  if (outcome.pending_run) {
    const run = { owner, state: toWaitingState(request, outcome.pending_run), expires_at: Date.now() + approvalMs };
    return { ...ended, waiting: { runId, run }, ...(thread && { held: { owner, id: thread.id } }) };
  }
  if (!thread) return ended;
  const messages = [...thread.messages, toMessage(outcome)];
  return { ...ended, thread: { key: { owner, id: thread.id }, messages } };
}

/** The reply as a message of the thread. A refusal is stored as text: an empty message would tell the model nothing. */
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

/** A run that waits for approval, with the parts of its request that are needed to resume it: plain JSON. */
export interface WaitingState {
  readonly pending: PendingRun;
  readonly wire: AgentWire;
  readonly model_id: string;
  readonly fallbacks: readonly string[];
  /** Names of the built-in and configured tools that the request may use. */
  readonly tools: readonly string[];
  readonly client_tools: readonly ToolDefinition[];
  readonly parameters: ModelParameters | null;
  readonly thread: TurnRequest["thread"];
}

function toWaitingState(request: TurnRequest, pending: PendingRun): WaitingState {
  return {
    pending,
    wire: request.wire,
    model_id: request.modelId ?? "",
    fallbacks: request.fallbacks,
    tools: request.tools.map((tool) => tool.definition.name),
    client_tools: request.clientTools ?? [],
    parameters: request.parameters ?? null,
    thread: request.thread,
  };
}
