import type { IncomingMessage } from "node:http";
import type { Context } from "hono";
import { ServiceError } from "../../contract/errors.ts";
import { GatheredBytes } from "../../models/outbound/gathered-bytes.ts";
import { incomingOf } from "./shell-environment.ts";

/** After a body was refused, this much more is read and dropped, so that the client gets to see the answer. */
const politeness = { bytes: 16 * 1024 * 1024, milliseconds: 500 };

/** The bytes of a request's body, at most `limit` of them. Memory never holds more than that. */
export async function readBody(context: Context, limit: number): Promise<Uint8Array> {
  const incoming = incomingOf(context);
  if (incoming) return readIncoming(incoming, limit);
  const { body } = context.req.raw;
  return body ? readStream(body, limit) : new Uint8Array();
}

/** Straight from Node's request: a web stream around it would cost more than reading it. */
function readIncoming(incoming: IncomingMessage, limit: number): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const received = new GatheredBytes();
  const declared = Number(incoming.headers["content-length"] ?? 0);
  let size = 0;
  let refused = declared > limit;
  let done = false;
  let patience: NodeJS.Timeout | undefined;

  /** The request outlives its body, by hours where a run is waited for: what listens, and so holds the body, leaves it. */
  function finish(settle: () => void): void {
    if (done) return;
    done = true;
    clearTimeout(patience);
    incoming.off("data", onData).off("end", onEnd).off("error", onClose).off("close", onClose);
    settle();
  }
  /** A connection closed on a client that is still sending is a reset, and the answer is lost with it. */
  const refuse = () => finish(() => reject(tooLarge(limit)));
  function startRefusing(): void {
    received.clear();
    size = 0;
    patience = setTimeout(refuse, politeness.milliseconds);
  }

  function onData(chunk: Buffer): void {
    if (done) return;
    size += chunk.byteLength;
    if (refused) {
      if (size >= politeness.bytes) refuse();
    } else if (size > limit) {
      refused = true;
      startRefusing();
    } else received.add(chunk);
  }
  function onEnd(): void {
    if (refused) refuse();
    else finish(() => resolve(received.bytes()));
  }
  function onClose(cause?: Error): void {
    if (done) return;
    // Whoever sent everything and left at once may still want the work done.
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

/** The same for a request that came without a server, as in tests. */
async function readStream(body: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const received = new GatheredBytes();
  for await (const chunk of body) {
    received.add(chunk);
    if (received.size > limit) throw tooLarge(limit);
  }
  return received.bytes();
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError("body_too_large", `The body is larger than ${limit} bytes.`, {
    headers: { connection: "close" },
  });
}

function clientClosed(cause: Error | undefined): ServiceError {
  return new ServiceError("client_closed", "The client closed the connection inside the body.", { cause });
}
