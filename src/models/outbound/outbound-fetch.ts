import type { ReplyError } from "../../contract/ports/chat-model.ts";
import type { PolicyName } from "../../contract/schemas/shared/endpoint-policy.ts";
import { StreamFailure } from "./failure.ts";
import type { Outbound } from "./outbound.ts";
import type { FailedResponse } from "./status-failure.ts";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/**
 * The outbound client as a `fetch` function, for libraries with their own protocol. All rules of the client apply; nothing is
 * retried, because such libraries retry themselves.
 */
export function outboundFetch(
  outbound: Outbound,
  {
    policy,
    patienceMs = 0,
    listenMs = patienceMs,
  }: {
    policy: PolicyName;
    patienceMs?: number;
    /** For GET requests, which open streams that may be silent for long. */
    listenMs?: number;
  },
): Fetch {
  return async (url, init = {}) => {
    const method = methods.find((name) => name === (init.method ?? "GET").toUpperCase());
    if (!method) throw new TypeError(`The method ${init.method} is not sent out`);
    let refused: FailedResponse | null = null;
    const result = await outbound.request({
      url: String(url),
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === "string" && { body: init.body }),
      policy,
      patienceMs: method === "GET" ? listenMs : patienceMs,
      signal: init.signal ?? new AbortController().signal,
      acceptStream: true,
      listens: method === "GET",
      retries: 0,
      explainFailure: (response) => {
        refused = response;
        return null;
      },
    });
    if (!result.ok) return refusedResponse(result.error, refused);
    const headers = responseHeaders(result.headers);
    if (result.kind === "stream") return new Response(toReadable(result.stream), { status: result.status, headers });
    const empty = result.status === 204 || result.status === 205 || result.status === 304;
    return new Response(empty ? null : result.body, { status: result.status, headers });
  };
}

/** Some protocols need the body of an error answer. A success that broke off is not an answer. */
function refusedResponse({ code, detail, upstream_status }: ReplyError, refused: FailedResponse | null): Response {
  if (refused) {
    const { status, contentType, body } = refused;
    return new Response(body, { status, headers: { "content-type": contentType } });
  }
  if (upstream_status !== null && upstream_status >= 300) return new Response(null, { status: upstream_status });
  throw new TypeError("fetch failed", { cause: Object.assign(new Error(detail), { code: systemCode(code) }) });
}

/** The body is already decoded, so the headers about its encoding are dropped. */
function responseHeaders(received: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    if (value === undefined || ["content-encoding", "content-length", "transfer-encoding"].includes(name)) continue;
    for (const item of [value].flat()) headers.append(name, item);
  }
  return headers;
}

function toReadable(stream: AsyncIterableIterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await stream.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.error(error instanceof StreamFailure ? new TypeError("terminated", { cause: error }) : error);
      }
    },
    async cancel() {
      await stream.return?.();
    },
  });
}

const systemCode = (code: string): string => (code === "upstream_unreachable" ? "ECONNREFUSED" : code);
