import type { Context } from "hono";
import type { Logger } from "pino";
import { withTimeoutOrNull } from "../../../base/deadline.ts";
import type { ServiceError } from "../../../contract/errors.ts";
import { answerEvents } from "../../http/responses/event-stream.ts";
import { EventWriter } from "../../http/responses/event-writer.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import type { Turn } from "../turns/turn.ts";
import { turnHeaders } from "../turns/turn-headers.ts";
import { crashReporter } from "./answer-turn.ts";
import { untilFirstWord } from "./first-word.ts";
import { openStream } from "./open-stream.ts";

interface ChatAnswer {
  /** Tells of the turn in the words of the chat's protocol, to the end of the stream. */
  readonly send: (stream: EventWriter, turn: Turn, onCrash: (error: unknown) => ServiceError) => void;
  /** Tells why there is none, and ends the stream. */
  readonly sendError: (stream: EventWriter, error: ServiceError) => void;
  /** What the protocol is known by. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly patienceMs: number;
}

/** Answers a chat that shows tools as they are used. What fails before the first of them, or the first word, is a status. */
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
  await untilFirstWord(turn, { showsTools: true, patienceMs });
  const stream = new EventWriter();
  write(stream, turn);
  return answerEvents(context, stream, { ...turnHeaders(turn), ...headers });
}
