import type { Context } from "hono";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { targetHost } from "./host-check.ts";
import type { ShellEnvironment } from "../environment/shell-environment.ts";

/** Headers that a page of an allowed origin may send: every header the services read, except those that browsers set themselves. */
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

/** Headers that such a page may read: every response header that is of use to a program. */
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
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  // The star covers headers that clients add and we ignore, such as those of OpenAI's client. It does not cover authorization.
  "access-control-allow-headers": [...corsRequestHeaders, "*"].join(", "),
  "access-control-max-age": "600",
};

const exposedHeaders = corsResponseHeaders.join(", ");

/**
 * Refuses other web pages: requests with an unknown `Origin`, and requests that a browser marks as cross-site unless they only read.
 * Only known origins get CORS headers. `allowedOrigins` is called at each request, because the page's port may be known only after the
 * start. Returns the response to a preflight.
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

/** The origins of a page that is served from `port` on this machine. */
export function loopbackOrigins(port: number): readonly string[] {
  return ["127.0.0.1", "localhost", "[::1]"].map((host) => `http://${host}:${port}`);
}

/** Ignores the scheme: behind a proxy that terminates TLS, the page has https and we see http. The host is already checked. */
function isOwnOrigin(origin: string, url: string): boolean {
  return URL.parse(origin)?.host === targetHost(url);
}

function refusal(source: string): ServiceError {
  return new ServiceError("origin_not_allowed", `Requests from ${source} are refused.`);
}
