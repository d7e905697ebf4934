import { compact } from "../../../base/compact.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { ByteCollector } from "../../../models/outbound/response-body.ts";
import { leaveUnread } from "../limits/drop-body.ts";
import { memoryOf } from "../limits/request-memory.ts";
import { incomingOf, responseOf, type RequestMemory } from "../environment/shell-environment.ts";

/** After a body is refused, this much more is read and dropped, so that the client sees the response. */
const grace = { bytes: 16 * 1024 * 1024, milliseconds: 500 };

/**
 * Reads a request's body of at most `limit` bytes. The gate has reserved memory for a body with a Content-Length; a chunked body reserves
 * it here as it grows.
 */
export async function readBody(context: Context, limit: number): Promise<Uint8Array> {
  const memory = memoryOf(context);
  const options = {
    limit: Math.min(limit, memory.mostBytes),
    memory: context.req.header("content-length") === undefined ? memory : null,
    tooLarge: () => tooLarge(limit, memory.mostBytes),
  };
  const incoming = incomingOf(context);
  if (incoming) return readIncoming(incoming, { ...options, response: responseOf(context) });
  const { body } = context.req.raw;
  return body ? readStream(body, options) : new Uint8Array();
}

interface ReadBodyOptions {
  readonly limit: number;
  /** Null when the memory is reserved already. */
  readonly memory: RequestMemory | null;
  readonly tooLarge: () => ServiceError;
}

/** Reads the Node request directly: a web stream around it would cost more than the reading. */
function readIncoming(
  incoming: IncomingMessage,
  { limit, memory, tooLarge, response }: ReadBodyOptions & { readonly response: ServerResponse | undefined },
): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const received = new ByteCollector();
  const declared = Number(incoming.headers["content-length"] ?? 0);
  let size = 0;
  let refused = declared > limit;
  let done = false;
  let graceTimer: NodeJS.Timeout | undefined;

  /** Removes the listeners, which hold the body: the request can outlive its body by hours while a run is awaited. */
  function finish(settle: () => void): void {
    if (done) return;
    done = true;
    clearTimeout(graceTimer);
    incoming.off("data", onData).off("end", onEnd).off("error", onClose).off("close", onClose);
    settle();
  }
  /** Called late: closing the connection while the client is still sending resets it, and the response is lost. */
  const refuse = () => finish(() => reject(tooLarge()));
  function startRefusing(): void {
    received.clear();
    size = 0;
    graceTimer = setTimeout(refuse, grace.milliseconds);
  }

  function onData(chunk: Buffer): void {
    if (done) return;
    size += chunk.byteLength;
    if (refused) {
      if (size >= grace.bytes) refuse();
    } else if (size > limit) {
      refused = true;
      startRefusing();
    } else if (memory?.add(chunk.byteLength) === false) {
      received.clear();
      finish(() => reject(memory.refusal(size)));
      if (response) leaveUnread(incoming, response);
    } else received.add(chunk);
  }
  function onEnd(): void {
    if (refused) refuse();
    else finish(() => resolve(received.bytes()));
  }
  function onClose(cause?: Error): void {
    if (done) return;
    // A client that sent everything and disconnected may still want the work done.
    const rest: unknown = incoming.complete && !refused ? incoming.read() : null;
    if (Buffer.isBuffer(rest)) onData(rest);
    if (incoming.complete || refused) onEnd();
    else finish(() => reject(clientClosed(cause)));
  }

  if (refused) startRefusing();
  if (incoming.destroyed) onClose(incoming.errored ?? undefined);
  else incoming.on("data", onData).on("end", onEnd).on("error", onClose).on("close", onClose);
  return promise;
}

/** Reads the body of a request without a server, as in tests. */
async function readStream(
  body: ReadableStream<Uint8Array>,
  { limit, memory, tooLarge }: ReadBodyOptions,
): Promise<Uint8Array> {
  const received = new ByteCollector();
  for await (const chunk of body) {
    received.add(chunk);
    if (received.size > limit) throw tooLarge();
    if (memory?.add(chunk.byteLength) === false) throw memory.refusal(received.size);
  }
  return received.bytes();
}

function tooLarge(limit: number, memoryLimit: number): ServiceError {
  const isMemory = memoryLimit < limit;
  return new ServiceError(
    "body_too_large",
    `The body is larger than ${isMemory ? memoryLimit : limit} bytes.`,
    compact({
      headers: { connection: "close" },
      hint: isMemory ? "Split the body, or give the process more memory: its memory sets this limit." : undefined,
    }),
  );
}

function clientClosed(cause: Error | undefined): ServiceError {
  return new ServiceError("client_closed", "The client closed the connection before the end of the body.", { cause });
}
