import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import type { Logger } from "pino";
import { estimateMemory } from "../../../base/byte-budget.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { EventWriter } from "./event-writer.ts";
import { holdLargest } from "../limits/request-memory.ts";
import { outgoingOf, type ShellEnvironment } from "../environment/shell-environment.ts";

export type ServerEvent =
  | { readonly event: string; readonly id?: number | string; readonly data: unknown }
  /** The data as pieces of JSON text, for data that may be too long for one string. */
  | { readonly event: string; readonly pieces: AsyncIterable<string> };

/** Streams events at the pace of the client. `stop` is called when all are sent, or when the client disconnects. */
export function streamEvents(
  context: Context<ShellEnvironment>,
  events: AsyncIterable<ServerEvent>,
  { log, stop = () => {} }: { log: Logger; stop?: () => void },
): Response {
  const writer = new EventWriter({ onClose: stop });
  const answer = answerEvents(context, writer);
  const onFailure = (error: unknown) => {
    // An expected error, such as a shutdown, is not a fault of the service.
    const level = error instanceof ServiceError ? "warn" : "error";
    log[level]({ err: error, request_id: context.get("requestId") }, "event stream failed");
  };
  void pump(events, { writer, hold: holdLargest(context), onFailure });
  return answer;
}

interface PumpOptions {
  readonly writer: EventWriter;
  /** Reserves memory for an event of this length. */
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
    // The response has begun, so the client only sees that it breaks off. A client that disconnected ended the stream itself.
    if (!writer.closed) onFailure(error);
    writer.breakOff();
  }
}

const eventHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  // Disables buffering in nginx and similar proxies.
  "x-accel-buffering": "no",
};

/** Responds with the events, written directly to the connection where there is one. */
export function answerEvents(
  context: Context<ShellEnvironment>,
  events: EventWriter,
  headers: Readonly<Record<string, string>> = {},
): Response {
  if (context.req.method === "HEAD") {
    events.close();
    return context.body(null, 200, { ...headers, ...eventHeaders });
  }
  const outgoing = outgoingOf(context);
  if (!outgoing) return context.body(toReadable(events), 200, { ...headers, ...eventHeaders });
  outgoing.writeHead(200, { ...context.get("answerHeaders"), ...headers, ...eventHeaders });
  writeTo(outgoing, events);
  return RESPONSE_ALREADY_SENT;
}

function writeTo(outgoing: ServerResponse, events: EventWriter): void {
  // The close event of this response has already been emitted.
  if (outgoing.destroyed) return events.close();
  let begun = false;
  outgoing.on("drain", () => events.resume()).on("close", () => events.close());
  events.open({
    write(text) {
      begun = true;
      return outgoing.write(text);
    },
    end: () => void outgoing.end(),
    destroy: () => void outgoing.destroy(),
  });
  // The client receives the headers even if the first event is far away.
  if (!begun) outgoing.flushHeaders();
}

const encoder = new TextEncoder();

/** The events as a web stream. */
export function toReadable(events: EventWriter): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const outlet = {
          write(text: string) {
            controller.enqueue(encoder.encode(text));
            return (controller.desiredSize ?? 0) > 0;
          },
          end: () => controller.close(),
          destroy: () => controller.close(),
        };
        events.open(outlet, { paused: true });
      },
      pull: () => events.resume(),
      cancel: () => events.close(),
    },
    { highWaterMark: 0 },
  );
}

/** True when an `Accept` header prefers events to JSON. */
export function prefersEvents(header: string | undefined): boolean {
  const accept = header?.toLowerCase();
  if (!accept?.includes("text/event-stream")) return false;
  const ranges = accept.split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return { type, quality: quality === undefined ? 1 : Number(quality) };
  });
  const events = ranges.find(({ type }) => type === "text/event-stream");
  const json = ranges.find(({ type }) => type === "application/json");
  if (!events || !(events.quality > 0)) return false;
  if (!json || events.quality !== json.quality) return events.quality > (json?.quality ?? 0);
  return ranges.indexOf(events) < ranges.indexOf(json);
}
