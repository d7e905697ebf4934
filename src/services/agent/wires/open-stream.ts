import type { Context } from "hono";
import { answerEvents } from "../../http/responses/event-stream.ts";
import { EventWriter } from "../../http/responses/event-writer.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";

interface EarlyStream<Begun> {
  readonly headers?: Readonly<Record<string, string>>;
  /** Tells what has begun, to the end of the stream. */
  readonly write: (stream: EventWriter, begun: Begun) => void;
  /** Tells why nothing begins, and ends the stream. */
  readonly fail: (stream: EventWriter, error: unknown) => void;
}

/**
 * Answers with the stream of a turn that has yet to begin, since another turn of its thread is under way. Comments, which
 * every reader of events passes over, show that the connection is alive: the first one at once, then the writer's own.
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
    // A client that has gone is told nothing.
    (error: unknown) => (context.req.raw.signal.aborted ? stream.end() : fail(stream, error)),
  );
  return answerEvents(context, stream, headers);
}
