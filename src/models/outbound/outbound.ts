import type { ReplyError } from "../../contract/ports/chat-model.ts";
import type { CredentialBinding, Operation } from "../credentials.ts";
import type { DecodeBody } from "./body-sink.ts";
import type { EndpointCheck } from "./check-endpoint.ts";
import type { BreakerState } from "./circuit-breaker.ts";
import type { PolicyName, RunPolicy } from "../../contract/schemas/endpoint-policy.ts";
import type { ResponseHeaders } from "./exchange.ts";
import type { ExplainFailure, Explanation } from "./status-failure.ts";

export interface OutboundRequest {
  readonly url: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes take less memory than the text they are of, and are sent as they are. */
  readonly body?: string | Uint8Array;
  /** Default: the client's own. */
  readonly policy?: PolicyName;
  /** Has to allow the address as well. Its list is extended by the client's own. */
  readonly runPolicy?: RunPolicy | null | undefined;
  /** What the request does at a model or agent. A credential is sent with such calls alone, and only where it covers them. */
  readonly operation?: Operation;
  /** The key of the provider that is called. It counts before other credentials that cover the call. */
  readonly credential?: CredentialBinding;
  readonly signal: AbortSignal;
  /** An event stream is handed over as it arrives instead of being collected. */
  readonly acceptStream?: boolean;
  /** False: only try again when the upstream cannot have acted on the request. Default true. */
  readonly idempotent?: boolean;
  /** Called when the upstream asks to be called less (with its wait, if any), is overloaded or timed out, even if a retry follows. */
  readonly onRefused?: ((retryAfterMs: number | undefined) => void) | undefined;
  /** Tells apart what shares an origin but fails separately, such as models. */
  readonly breakerKey?: string;
  /** Fewer (or more) retries than the client's own setting. */
  readonly retries?: number;
  /** A longer wait that the upstream asks for is not waited for, be it within the client's own setting. */
  readonly longestWaitMs?: number | undefined;
  readonly maxReplyBytes?: number;
  /** Asked for memory as the answer arrives, before more of it is kept. False ends the call with `overloaded`. */
  readonly admitBytes?: ((bytes: number) => boolean) | undefined;
  /** The stream brings one message after another for as long as it is open: the cap is for each of them. */
  readonly listens?: boolean;
  /** The time limits after connecting are at least this long, whatever the client's own are: for calls that are ended by their signal. */
  readonly patienceMs?: number;
  /** Turns a body into text; without it the character set of its content type decides, else UTF-8. */
  readonly decodeBody?: DecodeBody;
  /** Reads the provider's own error format; without it the status decides. */
  readonly explainFailure?: ExplainFailure;
  /** Finds the failure of which an answer tells that HTTP calls a success, if another try may cure it. */
  readonly failureIn?: (answer: SuccessfulAnswer) => Explanation | null;
}

/** A whole answer that HTTP calls a success. */
export interface SuccessfulAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: string;
  /** Which try it came of, from 1. */
  readonly tries: number;
}

interface Answered {
  readonly ok: true;
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly tries: number;
  /** When the try began that was answered, by `performance.now`: not those before it, and no wait. */
  readonly startedAt: number;
}

/** An answer with its whole body, decoded. */
export interface OutboundBody extends Answered {
  readonly kind: "body";
  readonly body: string;
}

/** An event stream. Reading it throws a `StreamFailure` when it breaks, and the signal's reason when that aborts. */
export interface OutboundStream extends Answered {
  readonly kind: "stream";
  readonly stream: AsyncIterableIterator<Uint8Array>;
}

export interface OutboundFailure {
  readonly ok: false;
  readonly error: ReplyError;
  /** Where a redirect pointed, resolved to a full URL. It was not followed; whoever does must send it through `request` again. */
  readonly redirect_to: string | null;
}

export type OutboundResult = OutboundBody | OutboundStream | OutboundFailure;

export interface BreakerReport {
  readonly origin: string;
  readonly key: string;
  readonly state: BreakerState;
  readonly calls: number;
  readonly failures: number;
  readonly retry_after_ms: number;
}

/** The one way out of the process: everything that calls a model, a tool or a webhook goes through here. */
export interface Outbound extends AsyncDisposable {
  /** For whoever reads a stream: how long an event may grow before it is refused. */
  readonly maxEventBytes: number;
  /** Resolves with a failure as data; rejects only when the request's signal aborts, or after `stopWaiting`. */
  request(request: OutboundRequest & { acceptStream?: false }): Promise<OutboundBody | OutboundFailure>;
  request(request: OutboundRequest): Promise<OutboundResult>;
  /** What can be said about an endpoint before it is called. */
  checkEndpoint(text: string, policies?: Pick<OutboundRequest, "policy" | "runPolicy">): EndpointCheck;
  /** Every breaker that is not at rest, for metrics and the page. */
  breakers(): readonly BreakerReport[];
  /** From here on requests with `onRefused` reject with `shutting_down` where they would wait before they are sent again. */
  stopWaiting(): void;
  /** Ends all connections; calls under way fail with `shutting_down`. */
  close(): Promise<void>;
}
