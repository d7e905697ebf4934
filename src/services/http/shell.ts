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
import { addAnswerHeaders, requestIdFrom, shellHeaders } from "./responses/response-headers.ts";
import { outgoingOf, type ShellEnvironment } from "./shell-environment.ts";

export interface ShellOptions extends OpenApiOptions {
  readonly log: Logger;
  /** Names the service answers for, beside the loopback ones. */
  readonly allowedHosts?: readonly string[];
  /** Web origins that may call, beside the service's own. Asked at each request, with the host it was sent to. */
  readonly allowedOrigins?: (host: string) => readonly string[];
  readonly apiKeys?: ApiKeys;
  /** How often one key may use what costs money. */
  readonly rateLimits?: RateLimits | undefined;
  /** Where those limits are counted for all processes together. Default: each process counts by itself. */
  readonly sharedRates?: SharedRates | undefined;
  /** When new requests are refused; never without it. */
  readonly overload?: OverloadOptions | undefined;
  /** Told of each request that was refused because there was too much to do. */
  readonly onRefusal?: (() => void) | undefined;
  /** What else answers without a key: the files of the page. */
  readonly isPublic?: (request: PublicRequest) => boolean;
  readonly readiness?: Readiness;
  readonly neighbour?: Neighbour;
}

/** What a service hands on to its shell as it was given it. */
export type ShellDependencies = Required<
  Pick<ShellOptions, "log" | "version" | "apiKeys" | "allowedHosts" | "allowedOrigins" | "readiness">
> &
  Pick<ShellOptions, "rateLimits" | "sharedRates" | "overload">;

/** The app, and what stands before it where it may refuse: the server that listens for it asks there first. */
export type Shell = Hono<ShellEnvironment> & { readonly door: EarlyRefusal | null };

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
    .use(frame({ log, version: documentation.version }))
    .use(
      gate({
        checkHost: hostCheck.check,
        checkOrigin: createOriginCheck({ allowedOrigins }),
        admission,
        isExempt,
        authenticate: createAuthentication({
          apiKeys,
          mostAnswers: overload?.requestsPerKey,
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
  const door = admission && createEarlyRefusal({ admission, isExempt, version, passedLast: hostCheck.passedLast });
  return Object.assign(app, { door });
}

function isDocumentation(path: string): boolean {
  return ["/healthz", "/readyz", "/openapi.json", "/docs"].includes(path) || path.startsWith("/docs/");
}

/** One line a second says how many requests were refused: a line for each would cost more than refusing it. */
export function createRefusalLog(log: Logger): () => void {
  let refused = 0;

  function report(): void {
    log.warn({ refused }, "requests refused: the service is at its limit");
    refused = 0;
  }

  return () => {
    if (refused === 0) setTimeout(report, 1_000).unref();
    refused += 1;
  };
}

/** Around everything else: gives every request its id, and every answer its headers and its line in the log. */
function frame({ log, version }: { log: Logger; version: string }): MiddlewareHandler<ShellEnvironment> {
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
    addAnswerHeaders(context.res.headers, headers);
    logRequest(log, context, { status: context.res.status, ms });
  };
}

/** Resolves when the service takes requests, with what does not work meanwhile; rejects, best with a `ServiceError`, when it does not. */
export type Readiness = () => Promise<Pick<Health, "detail"> | void>;

const ok: Health = { status: "ok" };

/** `/healthz`: the process lives. `/readyz`: it takes requests; a check that does not answer in time counts as no. */
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
    if (checked === null) throw new Error(`No answer within ${timeoutMs} ms`);
    return checked ?? {};
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError("storage_unavailable", "A part this service needs does not answer.", { cause });
  }
}
