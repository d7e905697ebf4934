import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { createSemaphore } from "../../../base/semaphore.ts";

/** The time that an unread body may take to arrive after the response. Then the connection is cut. */
const shortGraceMs = 500;

/** For a longer refused body, the sender gets time to see the response and to stop. */
const longBody = 256 * 1024;
const stopSendingMs = 250;
/** Then this many bodies are read and dropped at the same time, each for at most this long. */
const droppedAtOnce = 4;
const longGraceMs = 5_000;

const refused = new WeakSet<IncomingMessage>();

/** Call before a request is refused for lack of memory: leaves its body unread for now. */
export function leaveUnread(
  request: IncomingMessage,
  response: ServerResponse,
  bodyBytes = Number.POSITIVE_INFINITY,
): void {
  if (bodyBytes <= longBody || request.complete) return;
  refused.add(request);
  // Closing a connection with an unread body resets it, and the response may be lost.
  response.shouldKeepAlive = true;
  // read(0) marks the request as consumed; otherwise Node would read its body to the end right after the response.
  request.pause().read(0);
}

/**
 * Reads and drops the bodies of requests that were answered before their bodies were read, so that their connections stay usable. Most
 * clients stop sending when they get a response; some send everything first, and would see a reset instead of the response. Refused
 * bodies are dropped a few at a time: reading hundreds at once would delay all other requests.
 */
export function createBodyDropper(): (request: IncomingMessage) => void {
  const semaphore = createSemaphore(droppedAtOnce);

  async function dropInTurn(request: IncomingMessage, closed: Promise<unknown>): Promise<void> {
    const gone = new AbortController();
    void closed.then(() => gone.abort());
    await wait(stopSendingMs, undefined, { signal: gone.signal, ref: false });
    await semaphore.take(gone.signal, () => drop(request, { closed, within: longGraceMs }));
  }

  return (request) => {
    if (request.complete || request.destroyed) return;
    const closed = untilClosed(request);
    const dropping = refused.has(request)
      ? dropInTurn(request, closed)
      : drop(request, { closed, within: shortGraceMs });
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
