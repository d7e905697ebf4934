import { omitUndefined } from "../base/json.ts";
import { isHeaderText } from "../base/text.ts";
import type { OpenAiError } from "../contract/schemas/problem.ts";
import type { Problem } from "../contract/schemas/problem.ts";
import type { ClientOptions } from "./client-options.ts";
import { ServiceFailure, ServiceUnreachable } from "./service-failure.ts";

interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a call and gives the answer when it is 2xx; throws a `ServiceFailure` otherwise. */
type Caller = (path: string, call?: Call) => Promise<Response>;

export function createCaller({ url, apiKey: key, fetch = globalThis.fetch }: ClientOptions): Caller {
  const base = url.replace(/\/+$/, "");
  const apiKey = key?.trim();
  checkOptions(url, apiKey);

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

/** What no call could be made with is the mistake of whoever makes the client, not a service that is away. */
function checkOptions(url: string, apiKey: string | undefined): void {
  const { protocol = "", username, password } = URL.parse(url) ?? {};
  // Not repeated, and not sent either: fetch refuses such an address.
  if (username || password) throw new TypeError("url holds user info: leave it out, and give a key as apiKey");
  if (!/^https?:$/.test(protocol))
    throw new TypeError(`url is ${JSON.stringify(url)}: use an absolute http or https URL, like http://127.0.0.1:8001`);
  // Not repeated: all but a sign or two of it is a key.
  if (apiKey && !isHeaderText(apiKey)) throw new TypeError("apiKey holds signs that no header can carry");
}

/** The answer's JSON. The service is trusted to keep to its contract; another one may be what listens there. */
export async function readJson<Body>(answer: Response | Promise<Response>): Promise<Body> {
  const response = await answer;
  const { origin = "the service" } = URL.parse(response.url) ?? {};
  try {
    return (await response.json()) as Body;
  } catch (cause) {
    // Otherwise the caller's own signal has ended it.
    if (cause instanceof SyntaxError) {
      const message = `The answer from ${origin} is not JSON: another service than the one that was meant may listen there`;
      throw new ServiceUnreachable(origin, { message, cause });
    }
    if (cause instanceof TypeError) {
      throw new ServiceUnreachable(origin, { message: `The answer from ${origin} broke off`, cause });
    }
    throw cause;
  }
}

async function send(fetch: typeof globalThis.fetch, address: URL, request: RequestInit): Promise<Response> {
  try {
    return await fetch(address, request);
  } catch (cause) {
    if (request.signal?.aborted) throw cause;
    throw new ServiceUnreachable(address.origin, { cause });
  }
}

/** Problems of RFC 9457 are kept whole; of the errors that `/v1` answers with, as OpenAI does, the words. */
async function toFailure(response: Response): Promise<ServiceFailure> {
  const body = (await response.json().catch(() => null)) as (Partial<Problem> & Partial<OpenAiError>) | null;
  const isProblem = body?.code !== undefined && body.detail !== undefined;
  return new ServiceFailure(response.status, isProblem ? (body as Problem) : null, body?.error?.message);
}
