import { SdkErrorCode, SdkHttpError, SSEClientTransport, SseError, type FetchLike } from "@modelcontextprotocol/client";
import { untilAborted } from "../../base/deadline.ts";
import { createTimeLimit } from "../time-limit.ts";

interface SseOptions {
  readonly fetch: FetchLike;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** How long the server may take to open its stream and to say where messages go. */
  readonly timeoutMs: number;
}

/**
 * The transport of servers from before 2025-03-26: one stream brings all answers, and each message is a request of its own. The
 * library would open a stream that ended anew by itself, to a server that knows nothing of us there. Here the connection is over.
 */
export class SseTransport extends SSEClientTransport {
  readonly #options: SseOptions;

  constructor(url: URL, options: SseOptions) {
    super(url, {
      fetch: withStatus(options.fetch),
      requestInit: { headers: { ...options.headers }, redirect: "error" },
    });
    this.#options = options;
    this.onerror = (error) => {
      if (SseError.isInstance(error)) void this.close();
    };
  }

  override async start(): Promise<void> {
    const { signal, timeoutMs: ms } = this.#options;
    using limit = createTimeLimit({ signal, ms });
    try {
      await untilAborted(super.start(), limit.signal);
    } catch (error) {
      throw limit.expired ? new Error("it did not open its stream of events in time") : error;
    }
  }
}

/** What a server says to a message it does not take, in the shape of the newer transport: we know what to make of that. */
function withStatus(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method !== "POST" || response.ok) return response;
    const text = await response.text();
    const { status, statusText } = response;
    throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `HTTP ${status}`, { status, statusText, text });
  };
}
