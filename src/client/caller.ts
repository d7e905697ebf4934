import { pause } from "../base/deadline.ts";
import { compact } from "../base/compact.ts";
import { isHeaderText } from "../base/text.ts";
import { fillAddress, type OperationId } from "../contract/operations/addresses.ts";
import type { AnswerOf, InputOf } from "../contract/operations/operation-types.ts";
import type { OpenAiError, Problem } from "../contract/errors/problem.ts";

/** A service's address and access. */
export interface ClientOptions {
  /** Address of the service, such as http://127.0.0.1:8001. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`, trimmed. Required when the service has keys. */
  readonly apiKey?: string | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** @internal */
interface HttpCallOptions {
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @internal */
type CallInput<Id extends OperationId> = InputOf<Id> & HttpCallOptions;

/**
 * Sends the requests of a client. Throws a `ServiceFailure` unless the response is 2xx.
 *
 * @internal
 */
interface OperationCaller {
  send<Id extends OperationId>(id: Id, input: CallInput<Id>): Promise<Response>;
  /** Resolves with the JSON of the response. */
  ask<Id extends OperationId>(id: Id, input: CallInput<Id>): Promise<AnswerOf<Id>>;
}

/** @internal */
export function createCaller({ url, apiKey: key, fetch = globalThis.fetch }: ClientOptions): OperationCaller {
  const base = url.replace(/(?<!\/)\/+$/, "");
  const apiKey = key?.trim();
  requireValidOptions(url, apiKey);

  async function send<Id extends OperationId>(id: Id, input: CallInput<Id>): Promise<Response> {
    const { query = {}, headers, body, signal } = input;
    const { method, path } = fillAddress(id, input.parameters);
    const address = new URL(base + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) address.searchParams.set(name, String(value));
    }
    const sent = compact({
      "content-type": body === undefined ? undefined : "application/json",
      authorization: apiKey === undefined ? undefined : `Bearer ${apiKey}`,
      ...headers,
    });
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await fetchFrom(fetch, address, compact({ method, headers: sent, body: text, signal }));
    if (!response.ok) throw await toFailure(response);
    return response;
  }

  return { send, ask: (id, input) => parseJsonResponse(send(id, input)) };
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

interface ClientRetryOptions {
  readonly signal?: AbortSignal | undefined;
  readonly withinMs?: number | undefined;
  readonly pauseMs?: number | undefined;
}

/** Retries while the service is unreachable or answers 502–504, for example during a restart: runs survive one. */
export async function retryWhileServiceUnavailable<Answer>(
  ask: () => Promise<Answer>,
  { signal, withinMs = 60_000, pauseMs = 500 }: ClientRetryOptions = {},
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

async function fetchFrom(fetch: typeof globalThis.fetch, address: URL, request: RequestInit): Promise<Response> {
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
