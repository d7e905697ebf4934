import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type Context } from "hono";
import type { Logger } from "pino";
import type { RouteDeclaration } from "../../contract/operations/operation.ts";
import { createAuthentication, type ApiKeys } from "./auth/auth.ts";
import type { ReadJsonLimits } from "./body/read-json.ts";
import { createHostCheck } from "./checks/host-check.ts";
import { createOriginCheck } from "./checks/origin-check.ts";
import { docsRoutes, type DocsOptions } from "./docs.ts";
import { createGate } from "./gate.ts";
import { createAdmission, type OverloadOptions } from "./limits/admission.ts";
import { createEarlyAnswers, type EarlyAnswers } from "./early-answers.ts";
import { createRateLimit, type RateLimits, type SharedRates } from "./limits/rate-limit.ts";
import { logRequest } from "./log.ts";
import { createNotFound, type Neighbour } from "./not-found.ts";
import { compressResponse } from "./responses/compression.ts";
import { createErrorHandler } from "./responses/error-response.ts";
import { addAnswerHeaders, requestIdFrom, shellHeaders } from "./responses/response-headers.ts";
import { operationsOf, RouteRequest, toRouterPattern, type Route } from "./route.ts";
import { outgoingOf, type ShellEnvironment } from "./environment/shell-environment.ts";

export interface ShellOptions extends DocsOptions {
  readonly log: Logger;
  readonly bodyLimits: ReadJsonLimits;
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
  readonly neighbour?: Neighbour;
  readonly files?: PublicFiles;
}

/** Files for GET requests that no route takes, such as those of the page. They need no key. */
export interface PublicFiles {
  has(request: { readonly path: string; readonly accept: string | undefined }): boolean;
  /** Null when there is no such file after all. */
  answer(context: Context<ShellEnvironment>): Promise<Response | null>;
}

/** The options that a service passes on to its shell unchanged. */
export interface ShellDependencies {
  readonly log: Logger;
  readonly version: string;
  readonly bodyLimits: ReadJsonLimits;
  readonly apiKeys: ApiKeys;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: (host: string) => readonly string[];
  readonly rateLimits?: RateLimits | undefined;
  readonly sharedRates?: SharedRates | undefined;
  readonly overload?: OverloadOptions | undefined;
}

export interface Shell {
  fetch(request: Request, environment?: ShellEnvironment["Bindings"]): Response | Promise<Response>;
  /** Adds a route. There is no other way to one, so each has a scope. */
  mount<Parts>(route: Route<Parts>, parts: Parts): void;
  /** The declarations of all routes. */
  readonly routes: readonly RouteDeclaration[];
  /** The server asks it before it calls `fetch`. */
  readonly early: EarlyAnswers;
}

/**
 * The shell that both services are built on: every request passes the checks here before it reaches a route, and every response gets its id, its
 * headers and its log line.
 */
export function createShell({
  log,
  bodyLimits,
  allowedHosts = [],
  allowedOrigins = () => [],
  apiKeys = [],
  rateLimits = {},
  sharedRates,
  overload,
  onRefusal = () => {},
  neighbour,
  files,
  ...documentation
}: ShellOptions): Shell {
  const { version } = documentation;
  const app = new Hono<ShellEnvironment>();
  const mounted: RouteDeclaration[] = [];
  /** The paths that are answered even under overload. */
  const exempt = new Set<string>();
  const hostCheck = createHostCheck({ allowedHosts });
  const countInLog = createRefusalLog(log);
  const admission = overload ? createAdmission(overload, () => (countInLog(), onRefusal())) : null;
  const answerError = createErrorHandler({ log });
  const gate = createGate({
    checkHost: hostCheck.check,
    checkOrigin: createOriginCheck({ allowedOrigins }),
    admission,
    authenticate: createAuthentication({ apiKeys, responsesPerKey: overload?.requestsPerKey }),
    limitRate: createRateLimit(rateLimits, sharedRates),
  });
  const fixedHeaders = shellHeaders({ version });

  /** Gives the request its id, and the response its headers and its log line. */
  async function respond(...[context, route, answer]: Parameters<typeof gate>): Promise<Response> {
    const started = performance.now();
    const requestId = requestIdFrom(context.req.header("x-request-id"));
    const headers = { ...fixedHeaders, "x-request-id": requestId };
    context.set("requestId", requestId);
    context.set("answerHeaders", headers);
    const response = await gate(context, route, answer).catch((thrown: unknown) => answerError(thrown, context));
    const passed = () => Math.round(performance.now() - started);
    if (response === RESPONSE_ALREADY_SENT) {
      logRequest(log, context, { status: outgoingOf(context)?.statusCode ?? 200, ms: passed() });
      return response;
    }
    context.res = response;
    await compressResponse(context);
    addAnswerHeaders(context.res.headers, headers);
    logRequest(log, context, { status: context.res.status, ms: passed() });
    return context.res;
  }

  function mount<Parts>({ declared, create }: Route<Parts>, parts: Parts): void {
    const handle = create(parts);
    const { method, pattern } = toRouterPattern(declared.address);
    mounted.push(declared);
    if (declared.duringOverload) exempt.add(pattern);
    app.on(method, pattern, (context) =>
      respond(context, declared, () => handle(new RouteRequest(context, declared, bodyLimits))),
    );
  }

  const notFound = createNotFound(app, neighbour);
  app.notFound((context) => {
    const { method, path } = context.req;
    const isRead = method === "GET" || method === "HEAD";
    if (!isRead || !files?.has({ path, accept: context.req.header("accept") }) || notFound.isServed(path))
      return respond(context, null, notFound.answer);
    const file = async () => (await files.answer(context)) ?? notFound.answer(context);
    return respond(context, { scope: "public" }, file);
  });

  const operations = () => operationsOf(mounted.map((declared) => ({ declared })));
  for (const route of docsRoutes(documentation, operations)) mount(route, undefined);

  const early = createEarlyAnswers({
    admission,
    version,
    log,
    isExempt: ({ path }) => exempt.has(path),
    passedLast: hostCheck.passedLast,
  });
  return {
    fetch: (request, environment = {}) => app.fetch(request, environment),
    mount,
    routes: mounted,
    early,
  };
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
