import type { Context } from "hono";
import type { Logger } from "pino";
import { ServiceError } from "../../../contract/errors.ts";
import { withTimeoutOrNull } from "../../../base/deadline.ts";
import { answerEvents } from "../../http/responses/event-stream.ts";
import { answerJson } from "../../http/responses/answer-json.ts";
import { EventWriter } from "../../http/responses/event-writer.ts";
import { logFailure, unexpected } from "../../http/responses/error-response.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import type { KeyedTurn } from "../turns/idempotent-turns.ts";
import type { Turn } from "../turns/turn.ts";
import { answerOf } from "../turns/turn-answer.ts";
import { turnHeaders } from "../turns/turn-headers.ts";
import { sendError, sendStored, sendTurn } from "./agent-events.ts";
import { openStream } from "./open-stream.ts";

interface AnswerOptions {
  readonly events: boolean;
  readonly log: Logger;
  readonly patienceMs: number;
}

/** Answers with the turn's last message, as JSON or as events. */
export async function answerTurn(
  context: Context<ShellEnvironment>,
  begun: Promise<KeyedTurn>,
  { events, log, patienceMs }: AnswerOptions,
): Promise<Response> {
  if (!events) return answerInJson(context, await begun);
  const requestId = context.get("requestId");
  const write = (stream: EventWriter, keyed: KeyedTurn): void => {
    if (keyed.kind === "answer") return sendStored(stream, keyed.answer);
    const { turn } = keyed;
    sendTurn(stream, turn, { requestId, onCrash: crashReporter({ log, requestId, turn }) });
  };
  const fail = (stream: EventWriter, error: unknown) =>
    sendError(stream, crashReporter({ log, requestId })(error), requestId);

  const keyed = await withTimeoutOrNull(begun, patienceMs);
  if (!keyed) return openStream(context, begun, { write, fail });
  const stream = new EventWriter();
  write(stream, keyed);
  return answerEvents(context, stream, headersOf(keyed));
}

async function answerInJson(context: Context<ShellEnvironment>, keyed: KeyedTurn): Promise<Response> {
  const { reply, headers } = keyed.kind === "answer" ? keyed.answer : await answerOf(keyed.turn);
  return answerJson(context, reply, { ...headers, ...replayedHeader(keyed) });
}

function headersOf(keyed: KeyedTurn): Record<string, string> {
  const known = keyed.kind === "answer" ? keyed.answer.headers : turnHeaders(keyed.turn);
  return { ...known, ...replayedHeader(keyed) };
}

function replayedHeader(keyed: KeyedTurn): Record<string, string> {
  return keyed.kind === "answer" || keyed.replayed ? { "idempotent-replayed": "true" } : {};
}

/** What is told in a stream that has begun: the one handler of errors can no longer answer there. */
export function crashReporter({
  log,
  requestId,
  turn,
}: {
  log: Logger;
  requestId: string;
  turn?: Pick<Turn, "runId">;
}): (thrown: unknown) => ServiceError {
  return (thrown) => {
    const error = thrown instanceof ServiceError ? thrown : unexpected(thrown);
    logFailure(log, error, { err: thrown, request_id: requestId, run_id: turn?.runId });
    return error;
  };
}
