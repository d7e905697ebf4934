import { compact } from "../../../base/compact.ts";
import type { Context } from "hono";
import type { Logger } from "pino";
import type { AgentEvent } from "../../../agent/loop/agent-outcome.ts";
import { withTimeoutOrNull } from "../../../base/deadline.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { answerEvents } from "../../http/responses/event-stream.ts";
import { EventWriter } from "../../http/responses/event-writer.ts";
import { logFailure, unexpected } from "../../http/responses/error-response.ts";
import type { ShellEnvironment } from "../../http/environment/shell-environment.ts";
import { toTurnError, turnHeaders } from "../turns/turn-answer.ts";
import type { Turn } from "../turns/turn.ts";

interface ChatAnswer {
  /** Writes the turn in the wire's format, to the end of the stream. */
  readonly send: (stream: EventWriter, turn: Turn, onCrash: (error: unknown) => ServiceError) => void;
  /** Writes the error of a turn that did not start, and ends the stream. */
  readonly sendError: (stream: EventWriter, error: ServiceError) => void;
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly patienceMs: number;
}

/** Answers on a wire that shows tool calls. An error before the first of them, or before the first text, is an HTTP status. */
export async function answerChat(
  context: Context<ShellEnvironment>,
  started: Promise<Turn>,
  { send, sendError, headers = {}, signal, log, patienceMs }: ChatAnswer,
): Promise<Response> {
  const requestId = context.get("requestId");
  const begun = started.then((turn) => {
    turn.watch(signal);
    return turn;
  });
  const write = (stream: EventWriter, turn: Turn) => send(stream, turn, crashReporter({ log, requestId, turn }));
  const fail = (stream: EventWriter, error: unknown) => sendError(stream, crashReporter({ log, requestId })(error));

  const turn = await withTimeoutOrNull(begun, patienceMs);
  if (!turn) return openStream(context, begun, { headers, write, fail });
  await untilFirstOutput(turn, { showsTools: true, patienceMs });
  const stream = new EventWriter();
  write(stream, turn);
  return answerEvents(context, stream, { ...turnHeaders(turn), ...headers });
}

interface EarlyStream<Begun> {
  readonly headers?: Readonly<Record<string, string>>;
  /** Writes the turn, to the end of the stream. */
  readonly write: (stream: EventWriter, begun: Begun) => void;
  /** Writes the error of a turn that did not start, and ends the stream. */
  readonly fail: (stream: EventWriter, error: unknown) => void;
}

/**
 * Opens the stream of a turn that waits for another turn of its thread. SSE comments, which every client ignores, keep the
 * connection alive: the first is sent at once, later ones by the writer.
 */
export function openStream<Begun>(
  context: Context<ShellEnvironment>,
  begun: Promise<Begun>,
  { headers, write, fail }: EarlyStream<Begun>,
): Response {
  const stream = new EventWriter();
  stream.write(": waiting for the turn before this one\n\n");
  void begun.then(
    (turn) => write(stream, turn),
    (error: unknown) => (context.req.raw.signal.aborted ? stream.end() : fail(stream, error)),
  );
  return answerEvents(context, stream, headers);
}

/**
 * Waits until the turn produces output or ends: an error before that can still be an HTTP status, which clients know how to retry.
 * With `showsTools`, a tool call is output. After `patienceMs` the stream opens anyway, so that the connection does not seem dead.
 */
export async function untilFirstOutput(
  turn: Turn,
  { patienceMs, showsTools = false }: { patienceMs: number; showsTools?: boolean },
): Promise<void> {
  const output = Promise.withResolvers<null>();
  const stopListening = turn.listen((event) => {
    if (isDelta(event) || (showsTools && isToolEvent(event))) output.resolve(null);
  });
  try {
    const outcome = await withTimeoutOrNull(Promise.race([turn.outcome, output.promise]), patienceMs);
    if (outcome && !outcome.ok) throw toTurnError(turn, outcome.error);
  } catch (error) {
    throw error instanceof ServiceError ? withRunId(error, turn) : error;
  } finally {
    stopListening();
  }
}

/** Turns an error in a stream that has begun into a `ServiceError` and logs it: the error handler can no longer answer there. */
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

/** Reasoning counts: it is shown while the user waits for the reply. */
function isDelta({ type }: AgentEvent): boolean {
  return type === "text-delta" || type === "reasoning-delta";
}

function isToolEvent({ type }: AgentEvent): boolean {
  return type === "tool-start" || type === "tool-skipped";
}

/** The error, with the headers that name the run. */
export function withRunId(error: ServiceError, turn: Turn): ServiceError {
  if (error.headers["x-run-id"] !== undefined) return error;
  const { code, message, hint, retryAfterMs, headers } = error;
  return new ServiceError(
    code,
    message,
    compact({
      cause: error,
      headers: { ...headers, ...turnHeaders(turn) },
      hint,
      retryAfterMs,
    }),
  );
}
