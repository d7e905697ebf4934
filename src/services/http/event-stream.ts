import type { Context } from "hono";
import { answerEvents } from "./answer-events.ts";
import { EventWriter } from "./event-writer.ts";
import type { ShellEnvironment } from "./shell-environment.ts";

export type ServerEvent =
  | { readonly event: string; readonly id?: number | string; readonly data: unknown }
  /** The data as pieces of JSON, for what may be too long for one text. */
  | { readonly event: string; readonly pieces: AsyncIterable<string> };

/** Answers with events as they come, no faster than the client takes them. `stop` is called when it has them all or has gone. */
export function streamEvents(
  context: Context<ShellEnvironment>,
  events: AsyncIterable<ServerEvent>,
  { stop = () => {} }: { stop?: () => void } = {},
): Response {
  const writer = new EventWriter({ onClose: stop });
  const answer = answerEvents(context, writer);
  void pump(events, writer);
  return answer;
}

async function pump(events: AsyncIterable<ServerEvent>, writer: EventWriter): Promise<void> {
  try {
    for await (const event of events) {
      if ("pieces" in event) await writer.sendPieces(event.pieces, event.event);
      else writer.send(event.data, event.event, event.id);
      await writer.ready();
      if (writer.closed) return;
    }
    writer.end();
  } catch {
    // Whoever produces the events reports its own failures; here the client only learns that something is missing.
    writer.breakOff();
  }
}
