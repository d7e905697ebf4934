import { compact } from "../../base/compact.ts";
import { isRetryable, type ErrorCode } from "../../contract/errors/errors.ts";
import type { ReplyError } from "../../contract/ports/chat-model.ts";

/**
 * The permission to send a request again. `safe`: the upstream cannot have worked on it; `if-idempotent`: it may have;
 * `no`: another try cannot help, or bytes have already arrived.
 */
export type Again = "safe" | "if-idempotent" | "no";

/** The meaning of a failure. `detail` is our own sentence and never contains text of the upstream. */
export interface Explanation {
  readonly code: ErrorCode;
  readonly detail: string;
  /** The endpoint accepts no tools for this model. */
  readonly refusesTools?: true;
  /** The endpoint accepts tools for this model, but not as many. */
  readonly tooManyTools?: true;
  /** The endpoint gives no structured output for this model. */
  readonly refusesFormat?: true;
  /** A content filter of the endpoint refused the conversation. */
  readonly refusesContent?: true;
  /** The account at the endpoint has no credit. */
  readonly lacksCredit?: true;
  /** The model wrote a tool call that the endpoint could not parse. */
  readonly unreadableCall?: true;
}

/** One failed try. */
export interface Failure extends Explanation {
  readonly again: Again;
  readonly status?: number;
  /** The wait that the upstream asked for. */
  readonly retryAfterMs?: number | undefined;
}

export function toReplyError(failure: Failure, tries: number): ReplyError {
  return compact({
    code: failure.code,
    detail: failure.detail,
    upstream_status: failure.status ?? null,
    tries,
    retryable: isRetryable(failure.code),
    retry_after_ms: failure.retryAfterMs,
    refuses_tools: failure.refusesTools ? true : undefined,
    too_many_tools: failure.tooManyTools ? true : undefined,
    refuses_format: failure.refusesFormat ? true : undefined,
    refuses_content: failure.refusesContent ? true : undefined,
    lacks_credit: failure.lacksCredit ? true : undefined,
    unreadable_call: failure.unreadableCall ? true : undefined,
  });
}

/** Thrown by a stream that breaks after it began. */
export class StreamFailure extends Error {
  override readonly name = "StreamFailure";
  readonly error: ReplyError;

  constructor(error: ReplyError) {
    super(error.detail);
    this.error = error;
  }
}

/** The progress of a try when its connection failed. */
export type Phase = "connecting" | "waiting" | "reading";

const unreachable = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "EACCES",
  "EPERM",
  "EINVAL",
]);

/** Maps an error of undici or the socket to one of our codes. */
export function connectionFailure(error: unknown, phase: Phase, url: URL): Failure {
  const code = causeCode(error);
  const where = url.host;
  if (code === "ERR_ADDRESS_REFUSED") {
    return { code: "endpoint_address_refused", detail: `${(error as Error).message}.`, again: "no" };
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN" || code === "EAI_FAIL" || code === "ENODATA") {
    const detail = `The name ${url.hostname} does not resolve.`;
    return { code: "upstream_dns", detail, again: code === "EAI_AGAIN" ? "safe" : "no" };
  }
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") {
    return { code: "upstream_timeout", detail: `No connection to ${where} within the connect limit.`, again: "safe" };
  }
  const handshake = tlsFailure(code, url);
  if (handshake) return handshake;
  if (unreachable.has(code)) {
    return { code: "upstream_unreachable", detail: `Nothing accepts connections at ${where}.`, again: "safe" };
  }
  if (code === "UND_ERR_DESTROYED" || code === "UND_ERR_CLOSED") {
    return { code: "shutting_down", detail: "The call was dropped because the service is stopping.", again: "no" };
  }
  if (code === "UND_ERR_INVALID_ARG") {
    const detail = "The request could not be sent: its path or a header holds characters that HTTP cannot carry.";
    return { code: "upstream_rejected", detail, again: "no" };
  }
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return {
      code: "upstream_invalid_reply",
      detail: `${where} sent more header bytes than are accepted.`,
      again: "no",
    };
  }
  if (error instanceof Error && error.name === "HTTPParserError") {
    return {
      code: "upstream_invalid_reply",
      detail: `${where} did not answer in HTTP: check http against https.`,
      again: "no",
    };
  }
  if (phase === "waiting" && isAgainstProtocol(error, code)) {
    return {
      code: "upstream_invalid_reply",
      detail: `${where} began an answer that HTTP does not allow: its status or its stated length cannot be.`,
      again: "no",
    };
  }
  return closed(phase, url);
}

/**
 * Undici's other errors for an unreadable answer: two content lengths, a status below 100, an unrequested upgrade. The
 * upstream has worked, and would answer the same again.
 */
function isAgainstProtocol(error: unknown, code: string): boolean {
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" || code === "ERR_ASSERTION") return true;
  return code === "UND_ERR_SOCKET" && /^bad (?:response|upgrade)$/.test((error as Error).message);
}

function closed(phase: Phase, url: URL): Failure {
  if (phase === "reading") {
    return {
      code: "upstream_reset",
      detail: `${url.host} closed the connection in the middle of its answer.`,
      again: "no",
    };
  }
  if (phase === "connecting" && url.protocol === "https:") {
    return {
      code: "upstream_tls",
      detail: `${url.host} closed the connection during the TLS handshake.`,
      again: "safe",
    };
  }
  return {
    code: "upstream_reset",
    detail: `${url.host} closed the connection before it answered.`,
    again: "if-idempotent",
  };
}

function causeCode(error: unknown): string {
  const { code, errors, cause } = error as { code?: unknown; errors?: unknown; cause?: unknown };
  if (typeof code === "string") return code;
  // A connection tried over several addresses fails with an AggregateError; any one cause will do.
  if (Array.isArray(errors) && errors.length > 0) return causeCode(errors[0]);
  return cause instanceof Error ? causeCode(cause) : "";
}

const isTls =
  /^(?:ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|EPROTO$|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|INVALID_CA$|HOSTNAME_MISMATCH$|ERR_OSSL)/;

const causes: readonly (readonly [RegExp, string])[] = [
  [/^CERT_HAS_EXPIRED$/, "its certificate has expired"],
  [/^CERT_NOT_YET_VALID$/, "its certificate is not valid yet, or the clock of this machine is wrong"],
  [/^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, "its certificate is for another name"],
  [
    /SELF_SIGNED_CERT|^UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)/,
    "its certificate comes from an authority that is not known here; NODE_EXTRA_CA_CERTS takes the file of one of your own",
  ],
  [
    /^(?:ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    "it does not speak TLS: check https against http",
  ],
];

/** Explains a failed TLS handshake; null when the code is about something else. */
export function tlsFailure(code: string, url: URL): Failure | null {
  if (!isTls.test(code)) return null;
  const [, cause = "check https against http, and the certificate"] = causes.find(([codes]) => codes.test(code)) ?? [];
  return { code: "upstream_tls", detail: `No secure connection to ${url.host}: ${cause}.`, again: "no" };
}
