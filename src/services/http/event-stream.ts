import type { Context } from "hono";

export interface ServerEvent {
  readonly event: string;
  readonly id?: number | string;
  readonly data: unknown;
}

const encoder = new TextEncoder();

/**
 * Answers with server-sent events as they come. A comment goes out when nothing else does, so that neither side takes the
 * other for dead. Reading stops, and `stop` is called, when the client goes away.
 */
export function streamEvents(
  context: Context,
  events: AsyncIterable<ServerEvent>,
  { heartbeatMs = 15_000, stop = () => {} }: { heartbeatMs?: number; stop?: () => void } = {},
): Response {
  const iterator = events[Symbol.asyncIterator]();
  let heartbeat: NodeJS.Timeout | undefined;
  const end = (): void => {
    clearInterval(heartbeat);
    stop();
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      heartbeat = setInterval(() => controller.enqueue(encoder.encode(": still here\n\n")), heartbeatMs);
      heartbeat.unref();
    },
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (!done) return controller.enqueue(encoder.encode(toText(value)));
      end();
      controller.close();
    },
    async cancel() {
      end();
      await iterator.return?.();
    },
  });
  return context.body(body, 200, { "content-type": "text/event-stream", "x-accel-buffering": "no" });
}

/** JSON has no line breaks of its own, so one `data` line is enough. */
function toText({ event, id, data }: ServerEvent): string {
  const number = id === undefined ? "" : `id: ${id}\n`;
  return `event: ${event}\n${number}data: ${JSON.stringify(data)}\n\n`;
}
