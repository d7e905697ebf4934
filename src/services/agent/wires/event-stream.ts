import type { Context } from "hono";

const encoder = new TextEncoder();

export interface EventStreamOptions {
  /** A comment is sent when nothing else was for so long: proxies close connections that say nothing. */
  readonly heartbeatMs?: number;
  /** A client that reads so slowly that more than this waits for it is let go. */
  readonly maxWaiting?: number;
}

/** Server-sent events on their way to one client. What it has not read yet waits here, joined into one piece. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** `data` is sent as JSON; without a name it is a plain `data:` event. */
  send(data: unknown, event?: string): void;
  /** A line as it is, for what is no JSON: `[DONE]`. */
  sendText(text: string): void;
  end(): void;
}

export function createEventStream({
  heartbeatMs = 15_000,
  maxWaiting = 32 * 1024 * 1024,
}: EventStreamOptions = {}): EventStream {
  let waiting = "";
  let ended = false;
  let wake: (() => void) | null = null;
  const heartbeat = setInterval(() => {
    if (waiting === "") write(": keep-alive\n\n");
  }, heartbeatMs).unref();

  function write(text: string): void {
    if (ended) return;
    waiting += text;
    if (waiting.length > maxWaiting) fail();
    wake?.();
  }

  function stop(): void {
    ended = true;
    clearInterval(heartbeat);
    wake?.();
  }

  /** The stream breaks off without its last event, which tells the client that something is missing. */
  function fail(): void {
    waiting = "";
    stop();
  }

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (waiting === "" && !ended) await new Promise<void>((resolve) => (wake = resolve));
        wake = null;
        if (waiting !== "") controller.enqueue(encoder.encode(waiting));
        waiting = "";
        if (ended) controller.close();
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );

  return {
    body,
    send: (data, event) => write(`${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`),
    sendText: (text) => write(`data: ${text}\n\n`),
    end: stop,
  };
}

/** Answers with the stream. */
export function answerWithEvents(
  context: Context,
  { body }: EventStream,
  headers: Readonly<Record<string, string>>,
): Response {
  return context.body(body, 200, {
    ...headers,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    // Asks nginx and its kin not to hold events back.
    "x-accel-buffering": "no",
  });
}

/** True when the client would rather have events than one JSON answer. */
export function prefersEvents(accept: string | undefined): boolean {
  if (!accept?.includes("text/event-stream")) return false;
  const ranges = accept.split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return { type, quality: quality === undefined ? 1 : Number(quality) };
  });
  const events = ranges.find(({ type }) => type === "text/event-stream");
  const json = ranges.find(({ type }) => type === "application/json");
  if (!events || !(events.quality > 0)) return false;
  if (!json || events.quality !== json.quality) return events.quality > (json?.quality ?? 0);
  return ranges.indexOf(events) < ranges.indexOf(json);
}
