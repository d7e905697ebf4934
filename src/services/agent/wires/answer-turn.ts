import type { Context } from "hono";
import type { Logger } from "pino";
import { ServiceError } from "../../../contract/service-error.ts";
import { answerEvents } from "../../http/answer-events.ts";
import { answerJson } from "../../http/answer-json.ts";
import { unexpected } from "../../http/on-error.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import type { KeyedTurn } from "../turns/idempotent-turns.ts";
import type { Turn } from "../turns/turn.ts";
import { answerOf } from "../turns/turn-answer.ts";
import { turnHeaders } from "../turns/turn-headers.ts";
import { toAgentEvents, toStoredEvents } from "./agent-events.ts";

/** Answers with the turn's last message, as JSON or as events. */
export async function answerTurn(
  context: Context<ShellEnvironment>,
  keyed: KeyedTurn,
  { events, log }: { events: boolean; log: Logger },
): Promise<Response> {
  if (keyed.kind === "answer") {
    const { reply, headers } = keyed.answer;
    const replayed = { ...headers, "idempotent-replayed": "true" };
    if (events) return answerEvents(context, toStoredEvents(keyed.answer), replayed);
    return answerJson(context, reply, replayed);
  }
  const { turn } = keyed;
  const replayed: Record<string, string> = keyed.replayed ? { "idempotent-replayed": "true" } : {};
  if (events) {
    const requestId = context.get("requestId");
    const stream = toAgentEvents(turn, { requestId, onCrash: crashReporter({ log, requestId, turn }) });
    return answerEvents(context, stream, { ...turnHeaders(turn), ...replayed });
  }
  const { reply, headers } = await answerOf(turn);
  return answerJson(context, reply, keyed.replayed ? { ...headers, ...replayed } : headers);
}

/** What is told in a stream that has begun: the one handler of errors can no longer answer there. */
export function crashReporter({
  log,
  requestId,
  turn,
}: {
  log: Logger;
  requestId: string;
  turn: Pick<Turn, "runId">;
}): (thrown: unknown) => ServiceError {
  return (thrown) => {
    if (thrown instanceof ServiceError) return thrown;
    log.error({ err: thrown, request_id: requestId, run_id: turn.runId }, "unexpected error");
    return unexpected(thrown);
  };
}
