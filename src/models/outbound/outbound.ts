import type { ReplyError } from "../../contract/ports/chat-model.ts";
import type { PolicyName, RunPolicy } from "../../contract/schemas/shared/endpoint-policy.ts";
import type { CredentialBinding, ModelOperation } from "./credentials.ts";
import type { BreakerReport } from "./circuit-breaker.ts";
import type { EndpointCheck } from "./endpoint-policy.ts";
import type { ResponseHeaders } from "./exchange.ts";
import type { DecodeBody } from "./response-body.ts";
import type { Explanation } from "./failure.ts";
import type { ExplainFailure } from "./status-failure.ts";

export interface OutboundRequest {
  readonly url: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes take less memory than the text they are of, and are sent as they are. */
  readonly body?: string | Uint8Array;
  /** Default: the client's own. */
  readonly policy?: PolicyName | undefined;
  /** Must allow the address too. The client's own allowlist extends its list. */
  readonly runPolicy?: RunPolicy | null | undefined;
  /** The operation at a model or agent. Without it no credential is sent; with it, only one that covers the call. */
  readonly operation?: ModelOperation;
  /** The provider's own key. It takes precedence over other credentials that cover the call. */
  readonly credential?: CredentialBinding | undefined;
  readonly signal: AbortSignal;
  /** True: an event stream is returned as it arrives instead of being collected. */
  readonly acceptStream?: boolean;
  /** False: retries only when the upstream cannot have acted on the request. Default true. */
  readonly idempotent?: boolean;
  /** Called when the upstream asks to be called less (with its wait, if any), is overloaded or timed out, even if a retry follows. */
  readonly onRefused?: ((retryAfterMs: number | undefined) => void) | undefined;
  /** Gives each of several upstreams at one origin, such as models, a circuit breaker of its own. */
  readonly breakerKey?: string;
  /** Fewer (or more) retries than the client's own setting. */
  readonly retries?: number;
  /** The longest wait that the upstream may ask for, if less than the client's own setting. */
  readonly longestWaitMs?: number | undefined;
  readonly maxReplyBytes?: number;
  /** Asked for memory as the answer arrives, before more of it is kept. False ends the call with `overloaded`. */
  readonly admitBytes?: ((bytes: number) => boolean) | undefined;
  /** True for a stream of messages without end: the byte cap applies to each event, not to the stream. */
  readonly listens?: boolean;
  /** Lower bound of the time limits after connecting, for calls that their signal ends. */
  readonly patienceMs?: number;
  /** Decodes the body. Default: the charset of the content type, else UTF-8. */
  readonly decodeBody?: DecodeBody;
  /** True when `headers` have a credential of their own: an answer 401 or 403 then refuses that one. */
  readonly hasCredential?: boolean;
  /** Reads the provider's own error format; without it the status decides. */
  readonly explainFailure?: ExplainFailure;
  /** Finds a failure in a 2xx answer that another try may cure. */
  readonly failureIn?: (answer: SuccessfulAnswer) => Explanation | null;
}

/** A complete 2xx answer. */
export interface SuccessfulAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: string;
  /** Number of the try, from 1. */
  readonly tries: number;
}

interface AnsweredRequest {
  readonly ok: true;
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly tries: number;
  /** Start of the successful try (`performance.now`), without earlier tries and waits. */
  readonly startedAt: number;
}

/** An answer with its whole body, decoded. */
export interface OutboundBody extends AnsweredRequest {
  readonly kind: "body";
  readonly body: string;
}

/** An event stream. Reading it throws a `StreamFailure` when it breaks, and the signal's reason when that aborts. */
export interface OutboundStream extends AnsweredRequest {
  readonly kind: "stream";
  readonly stream: AsyncIterableIterator<Uint8Array>;
}

export interface OutboundFailure {
  readonly ok: false;
  readonly error: ReplyError;
  /** The absolute target of a redirect, which was not followed. To follow it, send it through `request` again. */
  readonly redirect_to: string | null;
}

/** A socket to open. The policies are those of a request. */
export interface OutboundSocketRequest extends Pick<OutboundRequest, "policy" | "runPolicy" | "headers" | "signal"> {
  /** A `ws:` or `wss:` address. */
  readonly url: string;
}

/** An open WebSocket with text messages. */
export interface OutboundSocket {
  /** Set when it is closed. */
  readonly closed: { readonly code: number; readonly reason: string } | null;
  send(text: string): void;
  /** Forgets messages that were not read. */
  drain(): void;
  /** The next message; null after `ms` milliseconds, or when the socket is closed. Rejects when the signal aborts. */
  next(options: { readonly ms: number; readonly signal: AbortSignal }): Promise<string | null>;
  close(): void;
}

export type OutboundResult = OutboundBody | OutboundStream | OutboundFailure;

/** The only way out of the process: every call to a model, a tool or a webhook goes through this client. */
export interface Outbound extends AsyncDisposable {
  /** The largest accepted event of a stream; the reader of the stream enforces it. */
  readonly maxEventBytes: number;
  /** Resolves with a failure as data; rejects only when the request's signal aborts, or after `stopWaiting`. */
  request(request: OutboundRequest & { acceptStream?: false }): Promise<OutboundBody | OutboundFailure>;
  request(request: OutboundRequest): Promise<OutboundResult>;
  /** Opens a WebSocket under the same rules. Nothing is retried. */
  connect(request: OutboundSocketRequest): Promise<OutboundSocket | OutboundFailure>;
  /** Checks an endpoint without calling it. */
  checkEndpoint(text: string, policies?: Pick<OutboundRequest, "policy" | "runPolicy">): EndpointCheck;
  /** Every breaker that is open or has counted calls, for metrics and the page. */
  breakers(): readonly BreakerReport[];
  /** From now on requests with `onRefused` reject with `shutting_down` instead of waiting for a retry. */
  stopWaiting(): void;
  /** Ends all connections; calls under way fail with `shutting_down`. */
  close(): Promise<void>;
}
