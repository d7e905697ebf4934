import type { Problem } from "../contract/problem.ts";
import type { ClientOptions } from "./client-options.ts";
import { ServiceFailure, ServiceUnreachable } from "./service-failure.ts";

export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a call and gives the answer when it is 2xx; throws a `ServiceFailure` otherwise. */
export type Caller = (path: string, call?: Call) => Promise<Response>;

export function createCaller({ url, apiKey, fetch = globalThis.fetch }: ClientOptions): Caller {
  const base = url.replace(/\/+$/, "");

  return async (path, { method, query = {}, headers = {}, body, signal } = {}) => {
    const address = new URL(base + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) address.searchParams.set(name, String(value));
    }
    const request: RequestInit = {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: definedOnly({
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...headers,
      }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    const response = await send(fetch, address, request);
    if (!response.ok) throw new ServiceFailure(response.status, await readProblem(response));
    return response;
  };
}

/** The answer's JSON. The service is trusted to keep to its contract. */
export async function readJson<Body>(answer: Promise<Response>): Promise<Body> {
  return (await (await answer).json()) as Body;
}

async function send(fetch: typeof globalThis.fetch, address: URL, request: RequestInit): Promise<Response> {
  try {
    return await fetch(address, request);
  } catch (cause) {
    if (request.signal?.aborted) throw cause;
    throw new ServiceUnreachable(address.origin, { cause });
  }
}

async function readProblem(response: Response): Promise<Problem | null> {
  const body: unknown = await response.json().catch(() => null);
  return typeof body === "object" && body !== null && "code" in body && "detail" in body ? (body as Problem) : null;
}

function definedOnly(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
