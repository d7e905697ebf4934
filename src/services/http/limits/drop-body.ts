import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { createSemaphore } from "../../../base/semaphore.ts";

/** How long a body that nobody read may take to arrive once its request is answered. Then the connection is cut. */
const patienceMs = 500;

/** Of a refused body that is longer, the sender is given time to see the answer and to stop. */
const longBody = 256 * 1024;
const stopSendingMs = 250;
/** Then so many are read and dropped at once, each for so long. */
const droppedAtOnce = 4;
const longPatienceMs = 5_000;

const refused = new WeakSet<IncomingMessage>();

/** To be called before a request is refused for want of room: its body is not read for now. */
export function leaveUnread(
  request: IncomingMessage,
  response: ServerResponse,
  bodyBytes = Number.POSITIVE_INFINITY,
): void {
  if (bodyBytes <= longBody || request.complete) return;
  refused.add(request);
  // A connection that is closed before its body was read is reset, and the answer may be lost with it.
  response.shouldKeepAlive = true;
  // Asked for nothing, the request counts as taken care of; otherwise Node would read it to its end as soon as it is answered.
  request.pause().read(0);
}

/**
 * Reads and drops bodies of requests that were answered before their bodies were read, so that their connections live on. Most clients
 * stop sending when they have their answer; some first send all they have, and would take a reset for it. Hundreds of refused bodies read
 * at once would keep everybody else waiting.
 */
export function createBodyDropper(): (request: IncomingMessage) => void {
  const places = createSemaphore(droppedAtOnce);

  async function dropInTurn(request: IncomingMessage, closed: Promise<unknown>): Promise<void> {
    const gone = new AbortController();
    void closed.then(() => gone.abort());
    await wait(stopSendingMs, undefined, { signal: gone.signal, ref: false });
    await places.take(gone.signal, () => drop(request, { closed, within: longPatienceMs }));
  }

  return (request) => {
    if (request.complete || request.destroyed) return;
    const closed = untilClosed(request);
    const dropping = refused.has(request) ? dropInTurn(request, closed) : drop(request, { closed, within: patienceMs });
    void dropping.catch(() => {});
  };
}

async function drop(
  request: IncomingMessage,
  { closed, within }: { closed: Promise<unknown>; within: number },
): Promise<void> {
  const timer = setTimeout(() => request.socket.destroySoon(), within).unref();
  request.resume();
  await closed;
  clearTimeout(timer);
}

/** A request whose response has ended emits no "close" when its connection is lost, so the socket is watched too. */
function untilClosed(request: IncomingMessage): Promise<void> {
  const { socket } = request;
  return new Promise((resolve) => {
    const onClose = (): void => {
      request.off("close", onClose);
      socket.off("close", onClose);
      resolve();
    };
    request.on("close", onClose);
    socket.on("close", onClose);
  });
}
