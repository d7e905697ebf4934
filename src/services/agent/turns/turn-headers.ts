import type { AgentOutcome } from "../../../agent/loop/agent-outcome.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { ReplyError } from "../../../contract/ports/chat-model.ts";
import type { Turn } from "./turn.ts";

/** Which run and which model: on every answer of every wire. */
export function turnHeaders({ runId, resolved }: Pick<Turn, "runId" | "resolved">): Record<string, string> {
  return { "x-run-id": runId, "x-model-resolved": resolved };
}

/** What the whole turn used, as far as it was counted; the body of POST / tells only of its last model call. */
export function totalsHeaders(outcome: AgentOutcome): Record<string, string> {
  const { usage, uncounted, cost, model_calls, tool_calls } = outcome;
  return {
    ...(!uncounted && {
      "x-usage-input-tokens": String(usage.input_tokens),
      "x-usage-output-tokens": String(usage.output_tokens),
      "x-usage-total-tokens": String(usage.total_tokens),
    }),
    "x-model-calls": String(model_calls),
    "x-tool-calls": String(tool_calls.length),
    ...(outcome.ok && { "x-finish-reason": toHeaderText(outcome.finish_reason) }),
    ...(cost !== null && { "x-cost": inDecimals(cost) }),
  };
}

/** Without an exponent, which not everybody reads: a turn of a cheap model costs less than a millionth of a dollar. */
const inDecimals = (cost: number): string => cost.toFixed(12).replace(/\.?0+$/, "");

/** The reason is the provider's word: a header holds printable ASCII only. */
function toHeaderText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 64);
}

/** A model's failure as the client of a turn is told. */
export function toTurnError(turn: Pick<Turn, "runId" | "resolved">, error: ReplyError): ServiceError {
  return new ServiceError(error.code, error.detail, {
    headers: turnHeaders(turn),
    ...(error.retry_after_ms !== undefined && { retryAfterMs: error.retry_after_ms }),
  });
}
