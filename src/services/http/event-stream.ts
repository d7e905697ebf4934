import type { Context } from "hono";
import type { Logger } from "pino";
import { estimateMemory } from "../../base/byte-budget.ts";
import { ServiceError } from "../../contract/errors.ts";
import { answerEvents } from "./answer-events.ts";
import { EventWriter } from "./event-writer.ts";
import { holdLargest } from "./request-memory.ts";
import type { ShellEnvironment } from "./shell-environment.ts";

export type ServerEvent =
  | { readonly event: string; readonly id?: number | string; readonly data: unknown }
  /** The data as pieces of JSON, for what may be too long for one text. */
  | { readonly event: string; readonly pieces: AsyncIterable<string> };

/** Answers with events as they come, no faster than the client takes them. `stop` is called when it has them all or has gone. */
export function streamEvents(
  context: Context<ShellEnvironment>,
  events: AsyncIterable<ServerEvent>,
  { log, stop = () => {} }: { log: Logger; stop?: () => void },
): Response {
  const writer = new EventWriter({ onClose: stop });
  const answer = answerEvents(context, writer);
  const onFailure = (error: unknown) => {
    // What we foresaw, as a stop of the service, is no fault of ours.
    const level = error instanceof ServiceError ? "warn" : "error";
    log[level]({ err: error, request_id: context.get("requestId") }, "events could not be sent to their end");
  };
  void pump(events, { writer, hold: holdLargest(context), onFailure });
  return answer;
}

interface PumpOptions {
  readonly writer: EventWriter;
  /** Holds memory for an event of this length. */
  readonly hold: (length: number) => void;
  readonly onFailure: (error: unknown) => void;
}

async function pump(events: AsyncIterable<ServerEvent>, { writer, hold, onFailure }: PumpOptions): Promise<void> {
  async function* counted(pieces: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const piece of pieces) {
      hold(piece.length);
      yield piece;
    }
  }
  try {
    for await (const event of events) {
      if ("pieces" in event) await writer.sendPieces(counted(event.pieces), event.event);
      else {
        hold(estimateMemory(event.data) / 2);
        writer.send(event.data, event.event, event.id);
      }
      await writer.ready();
      if (writer.closed) return;
    }
    writer.end();
  } catch (error) {
    // The answer has begun: the client only learns that something is missing. One that has gone stopped them itself.
    if (!writer.closed) onFailure(error);
    writer.breakOff();
  }
}
