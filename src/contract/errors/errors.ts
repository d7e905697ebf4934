/** One kind of failure: its HTTP status, a fixed title, what to do about it, and whether the same request may succeed later. */
export interface ErrorKind {
  readonly status: number;
  readonly title: string;
  readonly hint: string;
  readonly retryable?: boolean;
}

/**
 * Every way a request or a model call can fail; the source of the OpenAPI document and docs/reference/errors.md. The upstream codes
 * are problem codes of the agent backend and the `error.code` of evaluated interactions.
 */
export const errorKinds = {
  json_invalid: { status: 400, title: "The body is not valid JSON", hint: "Send one JSON object, encoded as UTF-8." },
  encoding_invalid: {
    status: 400,
    title: "The body is not valid UTF-8",
    hint: "Encode the body as UTF-8 without a byte order mark.",
  },
  header_invalid: {
    status: 400,
    title: "The request could not be read",
    hint: "Check the request line and the headers. Each header may appear once and must be printable ASCII.",
  },
  model_id_missing: {
    status: 400,
    title: "The x-model-id header is missing",
    hint: "Send x-model-id with the UUID of a fine-tuned model or <provider>/<model_name>.",
  },
  model_id_invalid: {
    status: 400,
    title: "The x-model-id header is not a model id",
    hint: "Use a UUID from GET /studio/models or <provider>/<model_name>.",
  },
  idempotency_key_invalid: {
    status: 400,
    title: "The Idempotency-Key is not valid",
    hint: "Use 1 to 255 printable ASCII characters.",
  },
  auth_missing: {
    status: 401,
    title: "No API key was sent",
    hint: "Send Authorization: Bearer <key> or x-api-key: <key>.",
  },
  auth_invalid: {
    status: 401,
    title: "The API key is not known",
    hint: "Check the key. `rehearsal keys list` shows the existing ones.",
  },
  auth_expired: {
    status: 401,
    title: "The API key has expired or was revoked",
    hint: "Create a new key with `rehearsal keys create`.",
  },
  scope_missing: {
    status: 403,
    title: "The API key lacks the required scope",
    hint: "Use a key with the scope named in the detail.",
  },
  origin_not_allowed: {
    status: 403,
    title: "Requests from this web origin are refused",
    hint: "Open the page at the service's own address, or add the origin to REHEARSAL_CORS_ORIGINS.",
  },
  endpoint_not_allowed: {
    status: 403,
    title: "This endpoint may not be called",
    hint: "Use another endpoint, or add its origin to EVAL_ENDPOINT_ALLOW.",
  },
  not_found: {
    status: 404,
    title: "There is nothing at this address",
    hint: "See /docs for the routes of this service.",
  },
  model_not_found: {
    status: 404,
    title: "No provider serves this model",
    hint: "Pick a model from GET /studio/models or GET /v1/models.",
  },
  run_not_found: { status: 404, title: "There is no such run", hint: "GET /runs lists the runs you can read." },
  method_not_allowed: {
    status: 405,
    title: "The route does not support this method",
    hint: "Use a method listed in the Allow header.",
  },
  request_timeout: {
    status: 408,
    title: "The request took too long to arrive",
    hint: "Send the whole request within the time limit.",
    retryable: true,
  },
  idempotency_in_progress: {
    status: 409,
    title: "A request with this Idempotency-Key is still running",
    hint: "Wait, then send it again.",
    retryable: true,
  },
  run_already_finished: { status: 409, title: "The run has already ended", hint: "Read it with GET /runs/{id}." },
  run_cancelled: {
    status: 409,
    title: "The run was cancelled",
    hint: "To start it again, send the request with another Idempotency-Key.",
  },
  run_not_finished: {
    status: 409,
    title: "The run has not ended yet",
    hint: "Wait for its end with GET /runs/{id}/events, or read the results so far with GET /runs/{id}/results.",
    retryable: true,
  },
  body_too_large: {
    status: 413,
    title: "The body is too large",
    hint: "Split the batch, or raise REHEARSAL_MAX_BODY_BYTES.",
  },
  uri_too_long: { status: 414, title: "The address is too long", hint: "Shorten the query." },
  media_type: { status: 415, title: "The body must be application/json", hint: "Send Content-Type: application/json." },
  content_encoding: {
    status: 415,
    title: "Compressed bodies are not accepted",
    hint: "Send the body without Content-Encoding.",
  },
  host_not_allowed: {
    status: 421,
    title: "This service does not serve that host name",
    hint: "Use the address printed at startup, or add the name to REHEARSAL_ALLOWED_HOSTS.",
  },
  validation_failed: {
    status: 422,
    title: "The request does not match the contract",
    hint: "Correct the fields named in the detail; `errors` lists their positions.",
  },
  json_too_deep: { status: 422, title: "The JSON is nested too deeply", hint: "Stay within 32 levels." },
  key_forbidden: {
    status: 422,
    title: "The JSON contains a forbidden key",
    hint: "Rename the key; __proto__, constructor and prototype are refused.",
  },
  endpoint_invalid: {
    status: 422,
    title: "The endpoint is not a valid URL",
    hint: "Send an absolute http or https URL without user info or fragment.",
  },
  too_many_interactions: {
    status: 422,
    title: "The batch is too large",
    hint: "Send fewer interactions or attempts, or raise the limit named in the detail.",
  },
  pattern_unsupported: {
    status: 422,
    title: "The pattern cannot be run safely",
    hint: "Use RE2 syntax: no look-around, no back-references.",
  },
  idempotency_mismatch: {
    status: 422,
    title: "The Idempotency-Key was used for another request",
    hint: "Use a new key for a new request.",
  },
  context_length_exceeded: {
    status: 422,
    title: "The conversation is too long for the model",
    hint: "Send fewer or shorter messages, start a new thread, or use a model with a larger context window.",
  },
  rate_limited: { status: 429, title: "Too many requests", hint: "Wait a moment, then try again.", retryable: true },
  upstream_rate_limited: {
    status: 429,
    title: "The model provider limits the rate",
    hint: "Wait a moment, then try again, or lower the concurrency.",
    retryable: true,
  },
  budget_exceeded: { status: 429, title: "The budget is spent", hint: "Raise the budget or start a new run." },
  headers_too_large: { status: 431, title: "The headers are too large", hint: "Send fewer or shorter headers." },
  client_closed: {
    status: 499,
    title: "The client went away",
    hint: "No action is needed; this code appears only in logs and metrics.",
  },
  internal_error: {
    status: 500,
    title: "Something went wrong on our side",
    hint: "Report the request_id. The service's log has the cause.",
  },
  upstream_unreachable: {
    status: 502,
    title: "The model provider cannot be reached",
    hint: "Check that it is running at this host and port.",
    retryable: true,
  },
  upstream_dns: {
    status: 502,
    title: "The model provider's name does not resolve",
    hint: "Check the host name of the endpoint.",
    retryable: true,
  },
  upstream_tls: {
    status: 502,
    title: "No secure connection to the model provider",
    hint: "Check http or https, and the certificate. For a private certificate authority, start the service with NODE_EXTRA_CA_CERTS set to its file.",
  },
  upstream_auth: {
    status: 502,
    title: "The model provider refused our credentials",
    hint: "Check that the service's environment has a valid key for this origin.",
  },
  upstream_rejected: {
    status: 502,
    title: "The model provider rejected the request",
    hint: "Check the model id and the parameters.",
  },
  upstream_error: {
    status: 502,
    title: "The model provider failed",
    hint: "Try again later, and check the provider's status page.",
    retryable: true,
  },
  upstream_reset: {
    status: 502,
    title: "The model provider closed the connection",
    hint: "Try again, and check proxies and the provider's limits.",
    retryable: true,
  },
  upstream_redirect: {
    status: 502,
    title: "The model provider redirected the call",
    hint: "Use the final address. Redirects are never followed.",
  },
  simulator_failed: {
    status: 502,
    title: "The simulated user failed before its first message",
    hint: "Check the simulator's endpoint and model. The attempt is left out of the agent's figures.",
  },
  world_limit: {
    status: 502,
    title: "The attempt did more in its world than is kept",
    hint: "Write less into the state of the world: all changes of an attempt together may have 16,777,216 characters of JSON.",
  },
  upstream_invalid_reply: {
    status: 502,
    title: "The model provider's response could not be parsed",
    hint: "Check that the endpoint uses the selected protocol.",
  },
  upstream_reply_too_large: {
    status: 502,
    title: "The model provider's response is too large",
    hint: "Lower max_tokens, or raise limits.upstream_max_reply_bytes in rehearsal.yaml.",
  },
  endpoint_address_refused: {
    status: 502,
    title: "The endpoint's address may not be called",
    hint: "Use another endpoint. Link-local, metadata and the service's own evaluation addresses are always refused.",
  },
  overloaded: {
    status: 503,
    title: "The service is at its limit",
    hint: "Wait a moment, then try again.",
    retryable: true,
  },
  shutting_down: {
    status: 503,
    title: "The service is stopping",
    hint: "Send the request again in a moment.",
    retryable: true,
  },
  storage_unavailable: {
    status: 503,
    title: "The database does not respond",
    hint: "Try again, and check the database.",
    retryable: true,
  },
  upstream_circuit_open: {
    status: 503,
    title: "The model provider has failed too often",
    hint: "Wait a minute, then try again. Calls resume automatically.",
    retryable: true,
  },
  upstream_timeout: {
    status: 504,
    title: "The model provider took too long",
    hint: "Try again, send a smaller request, or raise the limit: upstream_first_byte_timeout_ms, upstream_idle_timeout_ms or upstream_total_timeout_ms under limits in rehearsal.yaml.",
    retryable: true,
  },
  storage_full: {
    status: 507,
    title: "The disk is full",
    hint: "Free space in REHEARSAL_DATA_DIR. No stored data was lost.",
    retryable: true,
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;

export function isRetryable(code: ErrorCode): boolean {
  return (errorKinds[code] as ErrorKind).retryable ?? false;
}

/** Failures of a call to another service, except timeouts and rate limits. */
export const upstreamFailures: readonly ErrorCode[] = [
  "upstream_unreachable",
  "upstream_dns",
  "upstream_tls",
  "upstream_auth",
  "upstream_rejected",
  "upstream_error",
  "upstream_reset",
  "upstream_redirect",
  "upstream_invalid_reply",
  "upstream_reply_too_large",
];

/** A request's problems are counted up to here. Each may need a search for the nearest name, and a body holds 100,000. */
export const mostFieldErrors = 100;

/** One invalid field, addressed by an RFC 6901 pointer into the body. */
export interface FieldError {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
  readonly received?: string;
}

interface ServiceErrorOptions {
  readonly cause?: unknown;
  readonly hint?: string;
  readonly errors?: readonly FieldError[];
  readonly suggestions?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAfterMs?: number;
}

/** A request that cannot be answered. The message is shown to the client: it names the value and the expected form. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly errors: readonly FieldError[] | undefined;
  readonly suggestions: readonly string[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.errors = options.errors;
    this.suggestions = options.suggestions;
    this.headers = options.headers ?? {};
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** True when the process is stopping. Another process retries the work. */
export function isShuttingDown(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "shutting_down";
}

const storeCodes: ReadonlySet<ErrorCode> = new Set(["storage_full", "storage_unavailable"]);

/** True when the store cannot be used: its disk is full, it is unreachable, or it refuses writes. */
export function isStoreFailure(error: unknown): error is ServiceError {
  return error instanceof ServiceError && storeCodes.has(error.code);
}
