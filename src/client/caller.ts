import { pause } from "../base/deadline.ts";
import { omitUndefined } from "../base/json.ts";
import { isHeaderText } from "../base/text.ts";
import type { OpenAiError } from "../contract/schemas/problem.ts";
import type { Problem } from "../contract/schemas/problem.ts";

/** A service's address and access. */
export interface ClientOptions {
  /** Address of the service, such as http://127.0.0.1:8001. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`, trimmed. Required when the service has keys. */
  readonly apiKey?: string | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request and resolves with a 2xx response; throws a `ServiceFailure` otherwise. */
type Caller = (path: string, call?: Call) => Promise<Response>;

export function createCaller({ url, apiKey: key, fetch = globalThis.fetch }: ClientOptions): Caller {
  const base = url.replace(/(?<!\/)\/+$/, "");
  const apiKey = key?.trim();
  requireValidOptions(url, apiKey);

  return async (path, { method, query = {}, headers = {}, body, signal } = {}) => {
    const address = new URL(base + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) address.searchParams.set(name, String(value));
    }
    const request: RequestInit = {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: omitUndefined({
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...headers,
      }) as Record<string, string>,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    const response = await send(fetch, address, request);
    if (!response.ok) throw await toFailure(response);
    return response;
  };
}

/** The response's JSON, not validated: a Rehearsal service keeps its contract. Another service may answer without JSON. */
export async function parseJsonResponse<Body>(answer: Response | Promise<Response>): Promise<Body> {
  const response = await answer;
  const { origin = "the service" } = URL.parse(response.url) ?? {};
  try {
    return (await response.json()) as Body;
  } catch (cause) {
    // Other errors come from the caller's signal.
    if (cause instanceof SyntaxError) {
      const message = `The answer from ${origin} is not JSON: another service may be listening there`;
      throw new ServiceUnreachable(origin, { message, cause });
    }
    if (cause instanceof TypeError) {
      throw new ServiceUnreachable(origin, { message: `The answer from ${origin} broke off`, cause });
    }
    throw cause;
  }
}

interface RetryOptions {
  readonly signal?: AbortSignal | undefined;
  readonly withinMs?: number | undefined;
  readonly pauseMs?: number | undefined;
}

/** Retries while the service is unreachable or answers 502–504, for example during a restart: runs survive one. */
export async function retryWhileServiceUnavailable<Answer>(
  ask: () => Promise<Answer>,
  { signal, withinMs = 60_000, pauseMs = 500 }: RetryOptions = {},
): Promise<Answer> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnavailable(error) || signal?.aborted || performance.now() >= deadline) throw error;
      await pause(pauseMs, signal);
    }
  }
}

/** The service answered with an error. `problem` is its RFC 9457 body: `code` names the error, `hint` says what to do. */
export class ServiceFailure extends Error {
  override readonly name = "ServiceFailure";
  readonly status: number;
  readonly problem: Problem | null;

  constructor(status: number, problem: Problem | null, words?: string) {
    super(problem?.detail ?? words ?? `The service answered with status ${status} and no explanation.`);
    this.status = status;
    this.problem = problem;
  }
}

/** No answer: nothing listens there, or the connection broke. */
export class ServiceUnreachable extends Error {
  override readonly name = "ServiceUnreachable";

  constructor(
    url: string,
    { message = `Nothing answers at ${url}`, ...options }: ErrorOptions & { message?: string } = {},
  ) {
    super(message, options);
  }
}

/** Throws on options no request can be sent with: that is a programming error, not an unavailable service. */
function requireValidOptions(url: string, apiKey: string | undefined): void {
  const { protocol = "", username, password } = URL.parse(url) ?? {};
  // The address is not quoted, since it holds credentials. fetch refuses it anyway.
  if (username || password) throw new TypeError("url contains user info: leave it out and use apiKey");
  if (!/^https?:$/.test(protocol))
    throw new TypeError(`url is ${JSON.stringify(url)}: use an absolute http or https URL, like http://127.0.0.1:8001`);
  // The value is not quoted: most of it is a key.
  if (apiKey && !isHeaderText(apiKey))
    throw new TypeError("apiKey contains characters that an HTTP header cannot hold");
}

async function send(fetch: typeof globalThis.fetch, address: URL, request: RequestInit): Promise<Response> {
  try {
    return await fetch(address, request);
  } catch (cause) {
    if (request.signal?.aborted) throw cause;
    throw new ServiceUnreachable(address.origin, { cause });
  }
}

/** Keeps RFC 9457 problems whole; of OpenAI-style errors under `/v1`, only the message. */
async function toFailure(response: Response): Promise<ServiceFailure> {
  const body = (await response.json().catch(() => null)) as (Partial<Problem> & Partial<OpenAiError>) | null;
  const isProblem = body?.code !== undefined && body.detail !== undefined;
  return new ServiceFailure(response.status, isProblem ? (body as Problem) : null, body?.error?.message);
}

/** Answers of a proxy whose service is down, and of a service without its store. */
const unavailableStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

function isUnavailable(error: unknown): boolean {
  if (error instanceof ServiceFailure) return unavailableStatuses.has(error.status);
  return error instanceof ServiceUnreachable;
}
