/** What one kind of failure means to a client: its status, a fixed title, what to do, and whether the same call may succeed later. */
export interface ErrorKind {
  readonly status: number;
  readonly title: string;
  readonly hint: string;
  readonly retryable?: boolean;
}

/**
 * Every way a request or a model call can fail. A line here is a line in the OpenAPI document and in docs/reference/errors.md.
 * The upstream codes serve twice: as the problem code of the agent backend, and inside `error` of an evaluated interaction.
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
    hint: "Check the request line and the headers; each header may appear once and holds printable ASCII.",
  },
  model_id_missing: {
    status: 400,
    title: "The x-model-id header is missing",
    hint: "Send x-model-id with a fine-tuned model's UUID or <provider>/<model_name>.",
  },
  model_id_invalid: {
    status: 400,
    title: "The x-model-id header names no model",
    hint: "Use a UUID from GET /studio/models or <provider>/<model_name>.",
  },
  idempotency_key_invalid: {
    status: 400,
    title: "The Idempotency-Key is not usable",
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
    hint: "Check the key; `rehearsal keys list` shows the ones that exist.",
  },
  auth_expired: {
    status: 401,
    title: "The API key has expired or was revoked",
    hint: "Create a new key with `rehearsal keys create`.",
  },
  scope_missing: {
    status: 403,
    title: "The API key lacks the scope for this",
    hint: "Use a key that has the scope named in the detail.",
  },
  origin_not_allowed: {
    status: 403,
    title: "Requests from this web origin are refused",
    hint: "Open the page from the service itself, or list the origin in REHEARSAL_CORS_ORIGINS.",
  },
  endpoint_not_allowed: {
    status: 403,
    title: "This endpoint may not be called",
    hint: "Use another endpoint, or allow its origin in EVAL_ENDPOINT_ALLOW.",
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
    title: "The route does not take this method",
    hint: "Use a method named in the Allow header.",
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
  run_not_finished: {
    status: 409,
    title: "The run has not ended yet",
    hint: "Wait for it: GET /runs/{id}/events tells of its end; GET /runs/{id}/results has what is stored so far.",
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
    title: "This service does not answer for that host",
    hint: "Use the printed address, or list the name in REHEARSAL_ALLOWED_HOSTS.",
  },
  validation_failed: {
    status: 422,
    title: "The request does not match the contract",
    hint: "Correct what the detail names; errors, where there are any, say where it is.",
  },
  json_too_deep: { status: 422, title: "The JSON is nested too deeply", hint: "Stay within 32 levels." },
  key_forbidden: {
    status: 422,
    title: "The JSON holds a forbidden key",
    hint: "Rename the key; __proto__, constructor and prototype are refused.",
  },
  endpoint_invalid: {
    status: 422,
    title: "The endpoint is not a usable address",
    hint: "Give an absolute http or https URL without user info or fragment.",
  },
  too_many_interactions: {
    status: 422,
    title: "The batch is too large",
    hint: "Use fewer interactions or attempts, or raise the limit that is named.",
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
    hint: "Send fewer or shorter messages, go on from a thread in a new one, or choose a model that reads more.",
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
    hint: "Nothing to do; this appears only in logs and metrics.",
  },
  internal_error: {
    status: 500,
    title: "Something went wrong on our side",
    hint: "Report the request_id; the log has the cause.",
  },
  upstream_unreachable: {
    status: 502,
    title: "The model provider cannot be reached",
    hint: "Check that it runs at this host and port.",
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
    hint: "Check https against http, and the certificate. For one of your own authority, start the service with its file in NODE_EXTRA_CA_CERTS.",
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
    hint: "Try again later; look at the provider's status.",
    retryable: true,
  },
  upstream_reset: {
    status: 502,
    title: "The model provider closed the connection",
    hint: "Try again; check proxies and the provider's limits.",
    retryable: true,
  },
  upstream_redirect: {
    status: 502,
    title: "The model provider redirected the call",
    hint: "Use the final address; redirects are never followed.",
  },
  upstream_invalid_reply: {
    status: 502,
    title: "The model provider's answer could not be understood",
    hint: "Check that the endpoint speaks the chosen protocol.",
  },
  upstream_reply_too_large: {
    status: 502,
    title: "The model provider's answer is too large",
    hint: "Lower max_tokens, or raise REHEARSAL_UPSTREAM_MAX_REPLY_BYTES.",
  },
  endpoint_address_refused: {
    status: 502,
    title: "The endpoint's address may not be called",
    hint: "Link-local, metadata and our own evaluation addresses are always refused.",
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
    title: "The store does not answer",
    hint: "Try again; check the database.",
    retryable: true,
  },
  upstream_circuit_open: {
    status: 503,
    title: "The model provider failed too often just now",
    hint: "Wait a minute, then try again; calls resume by themselves.",
    retryable: true,
  },
  upstream_timeout: {
    status: 504,
    title: "The model provider took too long",
    hint: "Try again, use a smaller request, or raise the upstream timeouts.",
    retryable: true,
  },
  storage_full: {
    status: 507,
    title: "The disk is full",
    hint: "Free space in REHEARSAL_DATA_DIR; nothing stored was lost.",
    retryable: true,
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;

export function isRetryable(code: ErrorCode): boolean {
  return (errorKinds[code] as ErrorKind).retryable ?? false;
}

/** How a call to somebody else can fail through no limit of time or number. */
export const brokenCalls: readonly ErrorCode[] = [
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

/** One field that is wrong, addressed by an RFC 6901 pointer into the body. */
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

/** A request to us that cannot be answered. The message is shown to the client: it names the value and what would be right. */
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

/** The process itself stops: whoever asked is asked again by another. */
export function isShuttingDown(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "shutting_down";
}

const codes: ReadonlySet<ErrorCode> = new Set(["storage_full", "storage_unavailable"]);

/** Whether the store cannot be used just now: its disk is full, it is away, or it takes no writes. */
export function isStoreFailure(error: unknown): error is ServiceError {
  return error instanceof ServiceError && codes.has(error.code);
}
