import { Hono } from "hono";
import type { Logger } from "pino";
import type { OpenApiOptions } from "../../contract/operations/openapi.ts";
import { createAuthentication, type ApiKeys, type PublicRequest } from "./auth.ts";
import { createDoor, type Door } from "./door.ts";
import { docsRoutes } from "./docs.ts";
import { frame } from "./frame.ts";
import { gate } from "./gate.ts";
import { healthRoutes, type Readiness } from "./health.ts";
import { createHostCheck } from "./host-check.ts";
import { notFound, type Neighbour } from "./not-found.ts";
import { onError } from "./on-error.ts";
import { createOperationTable } from "./operation-table.ts";
import { createOriginCheck } from "./origin-check.ts";
import { createAdmission, type OverloadOptions } from "./overload.ts";
import { createRefusalLog } from "./refusal-log.ts";
import { createRateLimit, type RateLimits } from "./rate-limit.ts";
import type { ShellEnvironment } from "./shell-environment.ts";

export interface ShellOptions extends OpenApiOptions {
  readonly log: Logger;
  /** Names the service answers for, beside the loopback ones. */
  readonly allowedHosts?: readonly string[];
  /** Web origins that may call, beside the service's own. Asked at each request, with the host it was sent to. */
  readonly allowedOrigins?: (host: string) => readonly string[];
  readonly apiKeys?: ApiKeys;
  /** How often one key may use what costs money. */
  readonly rateLimits?: RateLimits | undefined;
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
  Pick<ShellOptions, "rateLimits" | "overload">;

/** The app, and what stands before it where it may refuse: the server that listens for it asks there first. */
export type Shell = Hono<ShellEnvironment> & { readonly door: Door | null };

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
        limitRate: createRateLimit(rateLimits),
      }),
    )
    .route("/", healthRoutes({ readiness }))
    .route("/", docsRoutes(documentation))
    .notFound(notFound(app, neighbour))
    .onError(onError({ log }));
  const { version } = documentation;
  const door = admission && createDoor({ admission, isExempt, version, passedLast: hostCheck.passedLast });
  return Object.assign(app, { door });
}

function isDocumentation(path: string): boolean {
  return ["/healthz", "/readyz", "/openapi.json", "/docs"].includes(path) || path.startsWith("/docs/");
}
