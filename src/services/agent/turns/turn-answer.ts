import { compact } from "../../../base/compact.ts";
import type { AgentOutcome } from "../../../agent/loop/agent-outcome.ts";
import { toAgentReply } from "../../../agent/messages/agent-reply.ts";
import { ServiceError, type ErrorCode } from "../../../contract/errors/errors.ts";
import type { StoredAnswer, StoredFailure, StoredReply } from "../../../contract/ports/agent-memory.ts";
import type { ReplyError } from "../../../contract/ports/chat-model.ts";
import type { Turn } from "./turn.ts";

type AnsweringTurn = Pick<Turn, "runId" | "resolved">;

/** The answer to POST /. Throws the error for the client when the turn failed. */
export function toAnswer(turn: AnsweringTurn, outcome: AgentOutcome): StoredReply {
  if (!outcome.ok) throw toTurnError(turn, outcome.error);
  return {
    reply: toAgentReply(outcome, `run--${turn.runId}`),
    headers: { ...turnHeaders(turn), ...totalsHeaders(outcome) },
  };
}

/** Headers of every response of every wire: the run and its model. */
export function turnHeaders({ runId, resolved }: AnsweringTurn): Record<string, string> {
  return { "x-run-id": runId, "x-model-resolved": resolved };
}

/** Totals of the whole turn. Token counts are left out when a provider reported none. */
export function totalsHeaders(outcome: AgentOutcome): Record<string, string> {
  const { usage, uncounted, cost, model_calls, tool_calls } = outcome;
  return compact({
    "x-usage-input-tokens": !uncounted ? String(usage.input_tokens) : undefined,
    "x-usage-output-tokens": !uncounted ? String(usage.output_tokens) : undefined,
    "x-usage-total-tokens": !uncounted ? String(usage.total_tokens) : undefined,
    "x-model-calls": String(model_calls),
    "x-tool-calls": String(tool_calls.length),
    "x-finish-reason": outcome.ok ? toHeaderText(outcome.finish_reason) : undefined,
    "x-cost": cost !== null ? toDecimal(cost) : undefined,
  });
}

/** Without an exponent, which some clients cannot parse: a turn of a cheap model costs less than a millionth of a dollar. */
const toDecimal = (cost: number): string => cost.toFixed(12).replace(/\.?0+$/, "");

/** The provider chooses the reason, but a header can hold only printable ASCII. */
function toHeaderText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 64);
}

/** The failure of a model as the error for the client of a turn. */
export function toTurnError(turn: AnsweringTurn, error: ReplyError): ServiceError {
  const { upstream_error: said } = error;
  const message = said ? `${error.detail} The provider says: ${said.message}` : error.detail;
  const pointer = said?.param ? `/${said.param.replaceAll(/\[(\d+)\]/g, ".$1").replaceAll(".", "/")}` : null;
  return new ServiceError(
    error.code,
    message,
    compact({
      headers: turnHeaders(turn),
      errors: said && pointer !== null ? [{ pointer, code: "upstream_rejected", message: said.message }] : undefined,
      retryAfterMs: error.retry_after_ms,
    }),
  );
}

/** A failure as it is stored for its Idempotency-Key. */
export function toStoredFailure(
  turn: AnsweringTurn,
  { code, detail, hint }: { code: ErrorCode; detail: string; hint?: string | undefined },
): StoredFailure {
  return { failure: compact({ code, detail, hint }), headers: turnHeaders(turn) };
}

/** The stored reply. Throws the stored failure. */
export function fromStored(answer: StoredAnswer): StoredReply {
  if ("reply" in answer) return answer;
  const { code, detail, hint } = answer.failure;
  const headers = { ...answer.headers, "idempotent-replayed": "true" };
  throw new ServiceError(code, detail, compact({ headers, hint }));
}

/** True when a turn ended at a limit, the provider's or ours: wires have one reason for both. */
export function endedAtLimit(finishReason: string): boolean {
  return /_limit$|^deadline$|^length$/.test(finishReason);
}
