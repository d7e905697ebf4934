import type { AgentOutcome, SuccessfulOutcome } from "../../../agent/loop/agent-outcome.ts";
import { toStoredMessage } from "../../../agent/messages/history.ts";
import { compact } from "../../../base/compact.ts";
import { isRetryable, ServiceError, type ErrorCode } from "../../../contract/errors/errors.ts";
import type { AgentMemory, AgentTurnResult, StoredMessage } from "../../../contract/ports/agent-memory.ts";
import { fromStore, toStoredRequest, type AcceptedState, type WaitingState } from "./stored-run.ts";
import { toAnswer, toStoredFailure } from "./turn-answer.ts";
import type { Turn, TurnRequest } from "./turn.ts";

interface EndedTurn extends Pick<Turn, "runId" | "resolved"> {
  /** True for a run that was stored before it ended. */
  readonly isStored: boolean;
}

/** Stores the beginning and the end of turns. A turn without a key, a thread and an open run stores nothing. */
export interface TurnStore {
  /** Stores a turn before its first model call, so that another process can finish it. */
  accept(runId: string, request: TurnRequest, acceptedAt: number): Promise<void>;
  /**
   * Stores the thread, the waiting run and the answer of a turn. Rejects when a thread or a waiting run could not be stored: an
   * answer must not refer to something that is not there. False when only the answer was lost.
   */
  answer(request: TurnRequest, turn: EndedTurn & { readonly outcome: SuccessfulOutcome }): Promise<boolean>;
  /**
   * Ends a stored run without an answer. Its key keeps the failure if the next try would fail too, or would call a tool again.
   */
  fail(request: TurnRequest, turn: EndedTurn & { readonly failed: FailedTurn }): Promise<void>;
}

/** A failure of the model or of the run, and whether a tool was called before it. */
export interface FailedTurn {
  readonly error: { readonly code: ErrorCode; readonly detail: string; readonly hint?: string | undefined };
  readonly retryable: boolean;
  readonly calledTools: boolean;
}

interface TurnStoreOptions {
  readonly memory: Pick<AgentMemory, "acceptTurn" | "endTurn">;
  /** Called when the answer for an Idempotency-Key could not be stored. */
  readonly onAnswerLost: (error: unknown) => void;
  readonly renderResponse: RenderResponse;
}

/** The body of a stored response. `request` is that of `TurnRequest.response`. */
export type RenderResponse = (
  turn: Pick<Turn, "runId" | "resolved">,
  ended: SuccessfulOutcome | Pick<FailedTurn, "error">,
  request: unknown,
) => unknown;

/** How long a run waits for approval. */
const approvalMs = 60 * 60_000;

export function createTurnStore({ memory, onAnswerLost, renderResponse }: TurnStoreOptions): TurnStore {
  async function end(result: AgentTurnResult): Promise<void> {
    if (await fromStore(memory.endTurn(result))) return;
    throw new ServiceError(
      "idempotency_in_progress",
      "Another process has started this turn again, or has continued its thread.",
      { retryAfterMs: 1000 },
    );
  }

  function toBody({ response }: TurnRequest, turn: EndedTurn, ended: Parameters<RenderResponse>[1]) {
    return response && { runId: turn.runId, body: renderResponse(turn, ended, response.request) };
  }

  return {
    accept: (runId, request, acceptedAt) =>
      memory.acceptTurn(runId, {
        owner: request.owner,
        thread_id: request.thread?.id ?? null,
        answer_key: request.answerKey ?? null,
        response: request.response,
        state: toAcceptedState(request, acceptedAt),
      }),
    async answer(request, turn) {
      const { answerKey: key } = request;
      const answer = key && { key, stored: toAnswer(turn, turn.outcome) };
      const ended = turn.isStored ? { ended: turn.runId, response: toBody(request, turn, turn.outcome) } : null;
      const result = toStoredResult(request, turn);
      if (result) await end({ ...ended, ...result, answer });
      else if (ended ?? answer) {
        try {
          await end({ ...ended, answer });
        } catch (error) {
          // Losing the answer costs only the replay.
          onAnswerLost(error);
          return false;
        }
      }
      return true;
    },
    async fail(request, turn) {
      const { answerKey: key } = request;
      const { runId, resolved, failed } = turn;
      const { error, retryable, calledTools } = failed;
      const isKept = key !== undefined && (calledTools || !retryable);
      await end(
        compact({
          ended: runId,
          response: toBody(request, turn, failed),
          answer: isKept ? { key, stored: toStoredFailure({ runId, resolved }, error) } : undefined,
        }),
      );
    },
  };
}

/** A model's failure, for the store. */
export function toFailedTurn(outcome: Extract<AgentOutcome, { ok: false }>): FailedTurn {
  const { error, tool_calls } = outcome;
  return { error, retryable: error.retryable, calledTools: tool_calls.length > 0 };
}

/**
 * The failure of a run that was cancelled or crashed. A disconnect, a thread that was deleted meanwhile and an unexpected error say
 * nothing about the next try.
 */
export function toCrashedTurn(error: unknown, { calledTools }: { calledTools: boolean }): FailedTurn {
  if (!(error instanceof ServiceError)) return { error: unexpectedFailure, retryable: true, calledTools };
  const { code, message: detail, hint } = error;
  const isPassing = isRetryable(code) || code === "client_closed" || code === "not_found";
  return { error: { code, detail, hint }, retryable: isPassing, calledTools };
}

const unexpectedFailure = { code: "internal_error", detail: "The run failed unexpectedly." } as const;

function toStoredResult(
  request: TurnRequest,
  { runId, outcome }: Pick<Turn, "runId"> & { outcome: SuccessfulOutcome },
): AgentTurnResult | null {
  const { owner, thread } = request;
  if (outcome.pending_run) {
    const state: WaitingState = { ...toStoredRequest(request), pending: outcome.pending_run };
    const run = { owner, thread_id: thread?.id ?? null, state, expires_at: Date.now() + approvalMs };
    return compact({ waiting: { runId, run }, held: thread ? { owner, id: thread.id } : undefined });
  }
  if (!thread) return null;
  return { thread: { key: { owner, id: thread.id }, messages: [...thread.messages, toReplyMessage(outcome)] } };
}

/** The reply as a message of the thread. A refusal is stored as text: an empty message would tell the model nothing. */
function toReplyMessage({ reply, pending_tool_calls }: SuccessfulOutcome): StoredMessage {
  const calls = pending_tool_calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text }));
  const content = reply.text === "" ? (reply.refusal ?? "") : reply.text;
  return toStoredMessage(compact({ role: "assistant", content, tool_calls: calls.length > 0 ? calls : undefined }));
}

function toAcceptedState(request: TurnRequest, accepted_at: number): AcceptedState {
  return {
    ...toStoredRequest(request),
    messages: request.messages,
    ...compact({ hides_steps: request.hidesSteps }),
    world: request.world ?? null,
    stream: request.stream,
    is_async: request.isAsync ?? false,
    answer_key: request.answerKey ?? null,
    request_id: request.requestId,
    trace: request.trace ?? null,
    accepted_at,
  };
}
