import { WebSocket, type Dispatcher } from "undici";
import { connectionFailure, type Failure } from "./failure.ts";
import type { OutboundSocket } from "./outbound.ts";

interface SocketOptions {
  /** A `ws:` or `wss:` address whose endpoint the policy allows. */
  readonly url: URL;
  /** Checks the address that is connected to. */
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
  readonly openMs: number;
  /** The longest message, and the most characters that wait to be read. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Opens a WebSocket. Resolves with a failure as data; rejects when the signal aborts first. */
export async function openSocket(options: SocketOptions): Promise<OutboundSocket | Failure> {
  const { url, dispatcher, headers, openMs, signal } = options;
  signal.throwIfAborted();
  const socket = new WebSocket(url, { dispatcher, headers });
  const messages = new SocketMessages(socket, options);
  const { promise, resolve, reject } = Promise.withResolvers<OutboundSocket | Failure>();
  const stop = (): void => reject(signal.reason);
  const timer = setTimeout(() => resolve(tooSlow(url, openMs)), openMs);
  signal.addEventListener("abort", stop, { once: true });
  socket.addEventListener("open", () => resolve(messages), { once: true });
  socket.addEventListener("error", ({ error }) => resolve(notOpened(url, error)), { once: true });
  try {
    const opened = await promise;
    if (opened !== messages) messages.close();
    return opened;
  } catch (error) {
    messages.close();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

function tooSlow(url: URL, openMs: number): Failure {
  return {
    code: "upstream_timeout",
    detail: `No WebSocket at ${url.host} within ${Math.round(openMs / 1000)} s.`,
    again: "safe",
  };
}

function notOpened(url: URL, error: unknown): Failure {
  const failure = connectionFailure(error, "connecting", url);
  if (failure.code !== "upstream_reset" && failure.code !== "upstream_tls") return failure;
  const detail = `${url.host} opens no WebSocket at ${url.pathname}: check the address, and ws against wss.`;
  return { code: "upstream_rejected", detail, again: "no" };
}

/** The text messages of a socket, in order. Those that arrive unread wait, up to a limit. */
class SocketMessages implements OutboundSocket {
  readonly #socket: WebSocket;
  readonly #maxBytes: number;
  #waiting: string[] = [];
  #size = 0;
  #wake: (() => void) | null = null;
  #closed: { readonly code: number; readonly reason: string } | null = null;

  constructor(socket: WebSocket, { maxBytes }: Pick<SocketOptions, "maxBytes">) {
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => this.#receive(data));
    socket.addEventListener("error", () => this.#end(1006, ""));
    socket.addEventListener("close", ({ code, reason }) => this.#end(code, reason));
  }

  get closed() {
    return this.#closed;
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  drain(): void {
    this.#waiting = [];
    this.#size = 0;
  }

  async next({ ms, signal }: { ms: number; signal: AbortSignal }): Promise<string | null> {
    signal.throwIfAborted();
    const [first] = this.#waiting;
    if (first !== undefined) {
      this.#waiting.shift();
      this.#size -= first.length;
      return first;
    }
    if (this.#closed || ms <= 0) return null;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = (): void => reject(signal.reason);
    const timer = setTimeout(resolve, ms);
    this.#wake = resolve;
    signal.addEventListener("abort", stop, { once: true });
    try {
      await promise;
    } finally {
      this.#wake = null;
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
    return this.#waiting.length > 0 ? this.next({ ms: 0, signal }) : null;
  }

  close(): void {
    this.#socket.close();
  }

  #receive(data: unknown): void {
    const text = typeof data === "string" ? data : Buffer.from(data as ArrayBuffer).toString("utf8");
    this.#size += text.length;
    if (this.#size > this.#maxBytes) {
      this.drain();
      this.#end(1009, "too large");
      return this.close();
    }
    this.#waiting.push(text);
    this.#wake?.();
  }

  #end(code: number, reason: string): void {
    this.#closed ??= { code, reason };
    this.#wake?.();
  }
}
