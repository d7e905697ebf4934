import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import type { EventWriter } from "./event-writer.ts";
import { outgoingOf, type ShellEnvironment } from "./shell-environment.ts";

const eventHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  // Asks nginx and its kin not to hold events back.
  "x-accel-buffering": "no",
};

/** Answers with the events, straight to the connection where there is one. */
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
  // Nobody tells again that a client has gone.
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
  // The client learns that it is answered even when the first event is far away.
  if (!begun) outgoing.flushHeaders();
}

const encoder = new TextEncoder();

/** The events as a body for whoever reads one. */
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
