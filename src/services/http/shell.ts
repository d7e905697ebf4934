import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import { withTimeoutOrNull } from "../../base/deadline.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { OpenApiOptions } from "../../contract/operations/openapi.ts";
import type { Health } from "../../contract/schemas/service-info.ts";
import { createAuthentication, type ApiKeys, type PublicRequest } from "./auth/auth.ts";
import { docsRoutes } from "./docs.ts";
import { createEarlyRefusal, type EarlyRefusal } from "./limits/early-refusal.ts";
import { onError } from "./responses/error-response.ts";
import { gate } from "./gate.ts";
import { createHostCheck } from "./checks/host-check.ts";
import { logRequest } from "./log.ts";
import { notFound, type Neighbour } from "./not-found.ts";
import { createOperationTable } from "./operation-table.ts";
import { createOriginCheck } from "./checks/origin-check.ts";
import { createAdmission, type OverloadOptions } from "./limits/admission.ts";
import { createRateLimit, type RateLimits, type SharedRates } from "./limits/rate-limit.ts";
import { compressResponse } from "./responses/compression.ts";
import { addAnswerHeaders, requestIdFrom, shellHeaders } from "./responses/response-headers.ts";
import { outgoingOf, type ShellEnvironment } from "./shell-environment.ts";

export interface ShellOptions extends OpenApiOptions {
  readonly log: Logger;
  /** Host names of the service, beside the loopback names. */
  readonly allowedHosts?: readonly string[];
  /** Web origins that may call, beside the service's own. Called at each request, with the requested host. */
  readonly allowedOrigins?: (host: string) => readonly string[];
  readonly apiKeys?: ApiKeys;
  /** Requests per minute and key, for scopes that cost money. */
  readonly rateLimits?: RateLimits | undefined;
  /** Counts those limits across processes. Default: each process counts by itself. */
  readonly sharedRates?: SharedRates | undefined;
  /** The limits from which new requests are refused. Default: none. */
  readonly overload?: OverloadOptions | undefined;
  /** Called for each request that is refused because of overload. */
  readonly onRefusal?: (() => void) | undefined;
  /** Further routes that need no key: the files of the page. */
  readonly isPublic?: (request: PublicRequest) => boolean;
  readonly readiness?: Readiness;
  readonly neighbour?: Neighbour;
}

/** The options that a service passes on to its shell unchanged. */
export type ShellDependencies = Required<
  Pick<ShellOptions, "log" | "version" | "apiKeys" | "allowedHosts" | "allowedOrigins" | "readiness">
> &
  Pick<ShellOptions, "rateLimits" | "sharedRates" | "overload">;

/** The app, and the check that the server makes before it calls the app. */
export type Shell = Hono<ShellEnvironment> & { readonly earlyRefusal: EarlyRefusal | null };

/**
 * The app that both services are built on: every request passes the checks here before it reaches a route, and every response gets its
 * id, its headers and its log line. Services add their routes to it.
 */
export function createShell({
  log,
  allowedHosts = [],
  allowedOrigins = () => [],
  apiKeys = [],
  rateLimits = {},
  sharedRates,
  overload,
  onRefusal = () => {},
  isPublic = () => false,
  readiness = async () => {},
  neighbour,
  ...documentation
}: ShellOptions): Shell {
  const app = new Hono<ShellEnvironment>();
  const hostCheck = createHostCheck({ allowedHosts });
  const countInLog = createRefusalLog(log);
  const admission = overload ? createAdmission(overload, () => (countInLog(), onRefusal())) : null;
  const isExempt = ({ path }: { path: string }) => isDocumentation(path);
  app
    .use(identifyAndLog({ log, version: documentation.version }))
    .use(
      gate({
        checkHost: hostCheck.check,
        checkOrigin: createOriginCheck({ allowedOrigins }),
        admission,
        isExempt,
        authenticate: createAuthentication({
          apiKeys,
          responsesPerKey: overload?.requestsPerKey,
          isPublic: (request) => isDocumentation(request.path) || isPublic(request),
        }),
        find: createOperationTable(documentation.operations),
        limitRate: createRateLimit(rateLimits, sharedRates),
      }),
    )
    .route("/", healthRoutes({ readiness }))
    .route("/", docsRoutes(documentation))
    .notFound(notFound(app, neighbour))
    .onError(onError({ log }));
  const { version } = documentation;
  const earlyRefusal =
    admission && createEarlyRefusal({ admission, isExempt, version, passedLast: hostCheck.passedLast });
  return Object.assign(app, { earlyRefusal });
}

function isDocumentation(path: string): boolean {
  return ["/healthz", "/readyz", "/openapi.json", "/docs"].includes(path) || path.startsWith("/docs/");
}

/** Logs the number of refused requests once a second: a line for each would cost more than the refusal. */
export function createRefusalLog(log: Logger): () => void {
  let refused = 0;

  function report(): void {
    log.warn({ refused }, "requests refused: the service is overloaded");
    refused = 0;
  }

  return () => {
    if (refused === 0) setTimeout(report, 1_000).unref();
    refused += 1;
  };
}

/** Gives every request its id, and every response its headers and its log line. */
function identifyAndLog({ log, version }: { log: Logger; version: string }): MiddlewareHandler<ShellEnvironment> {
  const fixed = shellHeaders({ version });

  return async (context, next) => {
    const started = performance.now();
    const requestId = requestIdFrom(context.req.header("x-request-id"));
    const headers = { ...fixed, "x-request-id": requestId };
    context.set("requestId", requestId);
    context.set("answerHeaders", headers);
    await next();
    const ms = Math.round(performance.now() - started);
    if (context.res === RESPONSE_ALREADY_SENT) {
      return logRequest(log, context, { status: outgoingOf(context)?.statusCode ?? 200, ms });
    }
    await compressResponse(context);
    addAnswerHeaders(context.res.headers, headers);
    logRequest(log, context, { status: context.res.status, ms });
  };
}

/** Resolves when the service is ready, with a note on parts that do not work; rejects, preferably with a `ServiceError`, when it is not. */
export type Readiness = () => Promise<Pick<Health, "detail"> | void>;

const ok: Health = { status: "ok" };

/** `/healthz`: the process is alive. `/readyz`: it takes requests; a check that does not settle in time counts as not ready. */
export function healthRoutes({
  readiness,
  timeoutMs = 5000,
}: {
  readiness: Readiness;
  timeoutMs?: number;
}): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>()
    .get("/healthz", (context) => context.json(ok))
    .get("/readyz", async (context) => {
      const { detail } = await checkReadiness(readiness, timeoutMs);
      return context.json(detail === undefined ? ok : { ...ok, detail });
    });
}

async function checkReadiness(readiness: Readiness, timeoutMs: number): Promise<Pick<Health, "detail">> {
  try {
    const checked = await withTimeoutOrNull(readiness(), timeoutMs);
    if (checked === null) throw new Error(`The readiness check took more than ${timeoutMs} ms`);
    return checked ?? {};
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError("storage_unavailable", "A component that this service needs does not respond.", { cause });
  }
}
