import type { Context } from "hono";
import { ServiceError } from "../../../contract/errors.ts";
import { targetHost } from "./host-check.ts";
import type { ShellEnvironment } from "../shell-environment.ts";

/** What a web page of an allowed origin may send: every header the services read, beside those that browsers set themselves. */
export const corsRequestHeaders: readonly string[] = [
  "accept",
  "authorization",
  "content-type",
  "idempotency-key",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "prefer",
  "traceparent",
  "tracestate",
  "x-agent-tools",
  "x-api-key",
  "x-model-fallbacks",
  "x-model-id",
  "x-on-disconnect",
  "x-request-id",
  "x-thread-id",
];

/** What it may read: every header of our answers that says something to a program. */
export const corsResponseHeaders: readonly string[] = [
  "allow",
  "content-disposition",
  "idempotent-replayed",
  "location",
  "mcp-session-id",
  "preference-applied",
  "rehearsal-export-notes",
  "rehearsal-version",
  "retry-after",
  "warning",
  "www-authenticate",
  "x-cache",
  "x-cost",
  "x-finish-reason",
  "x-model-calls",
  "x-model-resolved",
  "x-request-id",
  "x-run-id",
  "x-scenario-version",
  "x-should-retry",
  "x-tool-calls",
  "x-usage-input-tokens",
  "x-usage-output-tokens",
  "x-usage-total-tokens",
  "x-vercel-ai-ui-message-stream",
];

const readingMethods = new Set(["GET", "HEAD", "OPTIONS"]);

const preflightHeaders = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, DELETE",
  // The star is for what clients add of their own, as OpenAI's does, and nobody here reads. It covers all but authorization.
  "access-control-allow-headers": [...corsRequestHeaders, "*"].join(", "),
  "access-control-max-age": "600",
};

const exposedHeaders = corsResponseHeaders.join(", ");

/**
 * Keeps foreign web pages out: a request with an unknown `Origin` is refused, and so is one that a browser marks as
 * cross-site on a method that does something. Only known origins get CORS headers. `allowedOrigins` is asked at each
 * request, because the page's port may be known only after the start. What it returns is the answer to a preflight.
 */
export function createOriginCheck({
  allowedOrigins,
}: {
  allowedOrigins: (host: string) => readonly string[];
}): (context: Context<ShellEnvironment>) => Response | null {
  return (context) => {
    const origin = context.req.header("origin");
    const { method } = context.req;
    const own = origin !== undefined && isOwnOrigin(origin, context.req.url);
    const listed = origin !== undefined && allowedOrigins(targetHost(context.req.url)).includes(origin);

    if (origin !== undefined && !own && !listed) throw refusal(`the origin ${JSON.stringify(origin.slice(0, 80))}`);
    const crossSite = context.req.header("sec-fetch-site") === "cross-site";
    if (crossSite && !listed && !readingMethods.has(method)) throw refusal("another site");

    if (!listed) return null;
    const headers = context.get("answerHeaders");
    headers["access-control-allow-origin"] = origin;
    headers["access-control-expose-headers"] = exposedHeaders;
    const isPreflight = method === "OPTIONS" && context.req.header("access-control-request-method") !== undefined;
    return isPreflight ? new Response(null, { status: 204, headers: preflightHeaders }) : null;
  };
}

/** The origins a page on this machine may have when it is served from `port`. */
export function loopbackOrigins(port: number): readonly string[] {
  return ["127.0.0.1", "localhost", "[::1]"].map((host) => `http://${host}:${port}`);
}

/** The scheme is left aside: behind a proxy that ends TLS, the page says https and we see http. The host was checked before. */
function isOwnOrigin(origin: string, url: string): boolean {
  return URL.parse(origin)?.host === targetHost(url);
}

function refusal(source: string): ServiceError {
  return new ServiceError("origin_not_allowed", `Requests from ${source} are refused.`);
}
