import { Hono, type MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import type { OpenApiOptions } from "../../contract/openapi.ts";
import { authenticate, type ApiKeys } from "./auth.ts";
import { docsRoutes } from "./docs.ts";
import { headerCheck } from "./header-check.ts";
import { healthRoutes, type Readiness } from "./health.ts";
import { hostCheck } from "./host-check.ts";
import { requestLog } from "./log.ts";
import { notFound } from "./not-found.ts";
import { onError } from "./on-error.ts";
import { createOperationTable, scopeCheck } from "./operation-table.ts";
import { originCheck } from "./origin-check.ts";
import { shedOverload, type OverloadOptions } from "./overload.ts";
import { rateLimit, type RateLimits } from "./rate-limit.ts";
import { requestId } from "./request-id.ts";
import { securityHeaders } from "./security-headers.ts";
import type { ShellEnvironment } from "./shell-environment.ts";

export interface ShellOptions extends OpenApiOptions {
  readonly log: Logger;
  /** Names the service answers for, beside the loopback ones. */
  readonly allowedHosts?: readonly string[];
  /** Web origins that may call, beside the service's own. Asked at each request. */
  readonly allowedOrigins?: () => readonly string[];
  readonly apiKeys?: ApiKeys;
  /** How often one key may use what costs money. */
  readonly rateLimits?: RateLimits | undefined;
  /** When new requests are refused; never without it. */
  readonly overload?: OverloadOptions | undefined;
  /** What else answers without a key: the files of the page. */
  readonly isPublic?: (request: { method: string; path: string }) => boolean;
  readonly readiness?: Readiness;
}

/**
 * The app both services are built on: every request passes the checks here before it reaches a route, and every
 * answer gets its id, its headers and its line in the log. Routes are added to what this returns.
 */
export function createShell({
  log,
  allowedHosts = [],
  allowedOrigins = () => [],
  apiKeys = [],
  rateLimits = {},
  overload,
  isPublic = () => false,
  readiness = async () => {},
  ...documentation
}: ShellOptions): Hono<ShellEnvironment> {
  const app = new Hono<ShellEnvironment>();
  const find = createOperationTable(documentation.operations);
  const isExempt = ({ path }: { path: string }) => isDocumentation(path);
  return app
    .use(requestId())
    .use(requestLog({ log }))
    .use(securityHeaders({ version: documentation.version }))
    .use(async (_context, next) => next().catch(asError))
    .use(headerCheck())
    .use(hostCheck({ allowedHosts }))
    .use(originCheck({ allowedOrigins }))
    .use(overload ? shedOverload({ ...overload, isExempt }) : passOn)
    .use(authenticate({ apiKeys, isPublic: (request) => isDocumentation(request.path) || isPublic(request) }))
    .use(scopeCheck({ find }))
    .use(rateLimit({ limits: rateLimits, find }))
    .route("/", healthRoutes({ readiness }))
    .route("/", docsRoutes(documentation))
    .notFound(notFound(app))
    .onError(onError({ log }));
}

const passOn: MiddlewareHandler<ShellEnvironment> = (_context, next) => next();

function isDocumentation(path: string): boolean {
  return ["/healthz", "/readyz", "/openapi.json", "/docs"].includes(path) || path.startsWith("/docs/");
}

/** Hono passes only errors to `onError`; a thrown string would end the request without an answer of ours. */
function asError(thrown: unknown): never {
  throw thrown instanceof Error ? thrown : new Error("Something that is no error was thrown", { cause: thrown });
}
