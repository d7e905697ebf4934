import type { Agent } from "undici";
import { addressToBind } from "../credentials.ts";
import type { CredentialHeaders } from "./credential-headers.ts";
import { Exchange, type ExchangeResult, type ResponseHeaders } from "./exchange.ts";
import { StreamFailure, toReplyError, type Failure } from "./failure.ts";
import type { Clock, Timeouts } from "./outbound-options.ts";
import type { OutboundRequest } from "./outbound.ts";
import { requestHeaders } from "./request-headers.ts";
import { retryAfterMs } from "./retry-after.ts";
import { retryInfoMs } from "./retry-info.ts";
import { statusFailure } from "./status-failure.ts";

interface Try {
  readonly url: URL;
  readonly request: OutboundRequest;
  readonly agent: Agent;
  readonly credentialHeaders: CredentialHeaders;
  readonly keyVariable: ((address: string) => string) | undefined;
  readonly timeouts: Timeouts;
  /** What is left of the total limit. */
  readonly remainingMs: number;
  readonly maxReplyBytes: number;
  readonly clock: Clock;
  /** Number of this try, from 1. */
  readonly number: number;
  readonly onStreamEnd: (failure: Failure | "aborted" | null) => void;
}

export type TryResult =
  | Exclude<ExchangeResult, { kind: "failed" }>
  | { readonly kind: "failed"; readonly failure: Failure; readonly redirect_to?: string | null };

/** Sends a request once and says what came of it. The only place where a credential meets a request. */
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
  if (result.status < 300) return toldFailure(result, attempt) ?? result;
  if (result.status < 400) return redirected(result.status, result.headers, url);
  const body = result.kind === "body" ? result.body : "";
  const failure = statusFailure(
    { status: result.status, url, contentType: String(result.headers["content-type"] ?? ""), body },
    {
      explain: request.explainFailure,
      hasCredential: credential.headers.length > 0,
      isWithheld: credential.isWithheld,
      operation: request.operation,
      keyVariable: attempt.keyVariable?.(credential.isWithheld ? addressToBind(call) : url.origin),
      retryAfterMs: askedWaitMs({ headers: result.headers, body }, attempt),
    },
  );
  return { kind: "failed", failure };
}

/** The wait that an answer asks for. One of no time is none: a crowd that heeds it would call without a pause. */
function askedWaitMs(
  { headers, body }: { headers: ResponseHeaders; body: string },
  { clock }: Pick<Try, "clock">,
): number | undefined {
  return retryAfterMs(headers, clock.wall) || retryInfoMs(body) || undefined;
}

/** Gateways report with a 200 that the provider behind them failed: the model may have worked on it, and may do better next time. */
function toldFailure(result: ExchangeResult, attempt: Try): TryResult | null {
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
  const detail = `HTTP ${status}: ${url.host} redirects to another address; redirects are never followed.`;
  return { kind: "failed", failure: { code: "upstream_redirect", detail, status, again: "no" }, redirect_to: target };
}
