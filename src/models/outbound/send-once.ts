import type { Agent } from "undici";
import { addressToBind, type CredentialHeaders } from "./credentials.ts";
import { Exchange, type ExchangeResult, type ResponseHeaders } from "./exchange.ts";
import { StreamFailure, toReplyError, type Failure } from "./failure.ts";
import type { OutboundClock, Timeouts } from "./outbound-options.ts";
import type { OutboundRequest } from "./outbound.ts";
import { acceptEncoding } from "./response-body.ts";
import { statusFailure } from "./status-failure.ts";

interface Try {
  readonly url: URL;
  readonly request: OutboundRequest;
  readonly agent: Agent;
  readonly credentialHeaders: CredentialHeaders;
  readonly keyVariable: ((address: string) => string) | undefined;
  readonly timeouts: Timeouts;
  /** Remaining time of the total limit. */
  readonly remainingMs: number;
  readonly maxReplyBytes: number;
  readonly clock: OutboundClock;
  /** Number of this try, from 1. */
  readonly number: number;
  readonly onStreamEnd: (failure: Failure | "aborted" | null) => void;
}

export type TryResult =
  | Exclude<ExchangeResult, { kind: "failed" }>
  | { readonly kind: "failed"; readonly failure: Failure; readonly redirect_to?: string | null };

/** Sends a request once. The only place where a credential is added to a request. */
export async function sendOnce(attempt: Try): Promise<TryResult> {
  const { url, request, agent, timeouts } = attempt;
  const call = { url, operation: request.operation };
  const credential = attempt.credentialHeaders(call, request.credential);
  const exchange = new Exchange({
    url,
    signal: request.signal,
    acceptStream: request.acceptStream ?? false,
    listens: request.listens ?? false,
    maxReplyBytes: request.maxReplyBytes ?? attempt.maxReplyBytes,
    admitBytes: request.admitBytes,
    decodeBody: request.decodeBody,
    timeouts,
    remainingMs: attempt.remainingMs,
    onStreamEnd: attempt.onStreamEnd,
    streamError: (failure) => new StreamFailure(toReplyError(failure, attempt.number)),
  });
  agent.dispatch(
    {
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method,
      headers: requestHeaders(request, credential.headers),
      body: request.body ?? null,
    },
    exchange,
  );
  const result = await exchange.result;
  if (result.kind === "failed") return result;
  if (result.status < 300) return reportedFailure(result, attempt) ?? result;
  if (result.status < 400) return redirected(result.status, result.headers, url);
  const body = result.kind === "body" ? result.body : "";
  // A key of the origin is not sent to agents, so an agent's own address has to be bound.
  const isAgent = request.operation === "agent";
  const failure = statusFailure(
    { status: result.status, url, contentType: String(result.headers["content-type"] ?? ""), body },
    {
      explain: request.explainFailure,
      hasCredential: request.hasCredential === true || credential.headers.length > 0,
      isWithheld: credential.isWithheld,
      operation: request.operation,
      keyVariable: attempt.keyVariable?.(isAgent || credential.isWithheld ? addressToBind(call) : url.origin),
      retryAfterMs: askedWaitMs({ headers: result.headers, body }, attempt),
    },
  );
  return { kind: "failed", failure };
}

/** The wait that an answer asks for. A wait of 0 is ignored: retries would follow without a pause. */
function askedWaitMs(
  { headers, body }: { headers: ResponseHeaders; body: string },
  { clock }: Pick<Try, "clock">,
): number | undefined {
  return retryAfterMs(headers, clock.wall) || retryInfoMs(body) || undefined;
}

/** Gateways report with status 200 that the provider behind them failed. The model may have worked, so only idempotent calls are retried. */
function reportedFailure(result: ExchangeResult, attempt: Try): TryResult | null {
  const { request, number: tries } = attempt;
  if (result.kind !== "body") return null;
  const { status, headers, body } = result;
  const explanation = request.failureIn?.({ status, headers, body, tries });
  if (!explanation) return null;
  const waitMs = askedWaitMs(result, attempt);
  return { kind: "failed", failure: { ...explanation, status, again: "if-idempotent", retryAfterMs: waitMs } };
}

function redirected(status: number, headers: ResponseHeaders, url: URL): TryResult {
  const location = headers["location"];
  const target = typeof location === "string" && URL.canParse(location, url.href) ? new URL(location, url).href : null;
  const detail = `HTTP ${status}: ${url.host} redirects to another address; redirects are never followed: use the final address.`;
  return { kind: "failed", failure: { code: "upstream_redirect", detail, status, again: "no" }, redirect_to: target };
}

const searchedLength = 16_000;

/**
 * The wait in milliseconds that Google asks for in the details of the error, without a header. Daily limits name a wait
 * too, but waiting does not help there.
 */
function retryInfoMs(body: string): number | undefined {
  const said = body.slice(0, searchedLength);
  const [, seconds] = /"retryDelay"\s*:\s*"(\d{1,6}(?:\.\d{1,9})?)s"/.exec(said) ?? [];
  return seconds === undefined || /"quotaId"\s*:\s*"\w*PerDay/.test(said)
    ? undefined
    : Math.ceil(Number(seconds) * 1000);
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The wait in milliseconds: `retry-after-ms`, else `Retry-After` as seconds or a date. Undefined when unreadable. */
function retryAfterMs(headers: Headers, now: () => number): number | undefined {
  const milliseconds = headerNumber(headers["retry-after-ms"]);
  if (milliseconds !== undefined) return milliseconds;
  const value = single(headers["retry-after"]);
  if (value === undefined) return undefined;
  const seconds = headerNumber(value);
  if (seconds !== undefined) return seconds * 1000;
  // Only the date forms of RFC 9110 begin with a day's name; Date.parse alone would also read "-1" and "5 apples".
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}

function headerNumber(header: string | string[] | undefined): number | undefined {
  const value = single(header);
  return value !== undefined && /^\d{1,12}(?:\.\d{1,6})?$/.test(value) ? Number(value) : undefined;
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header.trim() : header?.[0]?.trim();
}

const userAgent = "rehearsal";

/** The headers of one request as the flat list that undici handles fastest. Credentials replace headers of the caller. */
function requestHeaders(
  request: Pick<OutboundRequest, "headers" | "body" | "acceptStream">,
  credentials: readonly (readonly [string, string])[],
): string[] {
  const headers: string[] = [];
  const names = new Set<string>();
  const add = (name: string, value: string) => {
    if (names.has(name)) return;
    names.add(name);
    headers.push(name, value);
  };
  for (const [name, value] of credentials) add(name, value);
  for (const [name, value] of Object.entries(request.headers ?? {})) add(name.toLowerCase(), value);
  if (request.body !== undefined) add("content-type", "application/json");
  add("accept", request.acceptStream ? "text/event-stream, application/json" : "application/json");
  // A compressed event stream arrives in large blocks.
  add("accept-encoding", request.acceptStream ? "identity" : acceptEncoding);
  add("user-agent", userAgent);
  return headers;
}
