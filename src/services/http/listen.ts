import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError, type HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import type { Logger } from "pino";
import { longestTimer } from "../../base/deadline.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Settings } from "../../settings.ts";
import { fromParserError, type ParserError } from "./client-error.ts";
import { Connections } from "./connections.ts";
import type { Door } from "./door.ts";
import { errorResponse } from "./error-response.ts";
import { unexpected } from "./on-error.ts";
import { answerRaw } from "./raw-answer.ts";
import { fixedHeaders } from "./security-headers.ts";
import type { ShellEnvironment } from "./shell-environment.ts";

export interface ListenOptions {
  readonly app: Hono<ShellEnvironment> & { readonly door?: Door | null };
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** What the operator sets the port with, for when it cannot be had. */
  readonly portSetting?: string;
  readonly limits: Omit<Settings["http"], "shutdownGraceMs">;
  readonly log: Logger;
  /** For `rehearsal-version` on answers the app did not write. */
  readonly version: string;
  /** How often time limits are looked at. */
  readonly checkIntervalMs?: number;
  /** How long a client may take nothing of an answer that waits for it. */
  readonly stalledMs?: number;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Stops accepting, lets running requests finish for at most `graceMs`, then cuts what is left. Resolves when all is closed. */
  close(graceMs: number): Promise<void>;
}

/** The address cannot be had. The message is one line for the operator. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** Starts a server for the app. Rejects with a `ListenError` when the address cannot be had. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { host } = options;
  const server = createHttpServer(options);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(error, options)));
    // Those who come all at once wait in line to be told no. Beyond the usual 511 their packets would be dropped, and they
    // would try again after seconds.
    server.listen({ host, port: options.port, backlog: options.limits.connections }, resolve);
  });
  server.on("error", (error) => options.log.error({ err: error }, "server error"));
  const bound = (server.address() as AddressInfo).port;
  return { url: `http://${urlHost(host)}:${bound}`, port: bound, close: createDrain(server) };
}

function createHttpServer({
  app,
  limits,
  log,
  version,
  checkIntervalMs = 1000,
  stalledMs = 120_000,
}: ListenOptions): Server {
  const refuse = (problem: ServiceError, reason: string) => refusal(problem, { reason, version, log });
  const handle = getRequestListener((request, bindings) => app.fetch(request, bindings as HttpBindings), {
    // The globals stay Node's own: others in this process rely on them.
    overrideGlobalObjects: false,
    errorHandler: (error) => refuse(fromAdapterError(error), "unusable address"),
  });
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    maxHeaderSize: limits.headerBytes,
    connectionsCheckingInterval: checkIntervalMs,
    // A missing Host is answered by us, with a body.
    requireHostHeader: false,
  });
  server.maxHeadersCount = limits.headers;
  server.maxConnections = limits.connections;

  const connections = new Connections(() => closeIdleWhenDraining(server));
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!connections.begin(request.socket, response)) return void request.socket.destroy();
    if (!server.listening) response.shouldKeepAlive = false;
    if (!app.door?.turnAway(request, response)) void handle(request, response);
  });
  server.setTimeout(stalledMs, (socket) => closeStalled(socket, { connections, stalledMs }));
  server.on("clientError", (error: ParserError, socket: Duplex) => {
    const problem = fromParserError(error);
    if (problem === null || !socket.writable || connections.isAnswering(socket)) return void socket.destroy();
    // Only the code is logged: the parser's error carries the bytes it choked on.
    void answerRaw(socket, refuse(problem, error.code ?? ""));
  });
  server.on("checkExpectation", ({ socket }: IncomingMessage) => {
    void answerRaw(
      socket,
      refuse(new ServiceError("header_invalid", "Only Expect: 100-continue is understood."), "expect"),
    );
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    void answerRaw(
      socket,
      refuse(
        new ServiceError("method_not_allowed", "CONNECT is not possible here.", { headers: { allow: "" } }),
        "connect",
      ),
    );
  });
  return server;
}

/** The answer to a request that never reached the app. */
function refusal(
  problem: ServiceError,
  { reason, version, log }: { reason: string; version: string; log: Logger },
): Response {
  const requestId = randomUUID();
  const entry = { code: problem.code, reason, request_id: requestId };
  if (problem.code === "internal_error")
    log.error({ ...entry, err: problem.cause }, "unexpected error outside the app");
  else log.info(entry, "unreadable request");
  const response = errorResponse(problem, { requestId, path: "" });
  const headers = {
    ...fixedHeaders({ version }),
    "x-request-id": requestId,
    "cache-control": "no-store",
    connection: "close",
  };
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** What the adapter could not turn into a request (a bad Host or target), or what escaped the app. */
function fromAdapterError(error: unknown): ServiceError {
  if (!(error instanceof RequestError)) return unexpected(error);
  return new ServiceError("header_invalid", "The Host header or the request target is not usable.");
}

/**
 * Whoever asks for much and reads nothing of it would keep it in our memory for ever. An answer that only takes its time, with
 * nothing to send yet, is let be. Connections that nobody uses any more come here too, after `keepAliveTimeout`.
 */
function closeStalled(
  socket: IncomingMessage["socket"],
  { connections, stalledMs }: { connections: Connections; stalledMs: number },
): void {
  if (connections.isWaitingForUs(socket)) socket.setTimeout(stalledMs);
  else socket.destroy();
}

/** Connections that are busy while the server stops close after their answer instead of waiting for another request. */
function closeIdleWhenDraining(server: Server): void {
  if (!server.listening) setImmediate(() => server.closeIdleConnections());
}

/** May be called again with a shorter grace: a second signal cuts what the first one waits for. */
function createDrain(server: Server): (graceMs: number) => Promise<void> {
  let closed: Promise<void> | undefined;
  return async (graceMs) => {
    closed ??= new Promise((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const timer = setTimeout(() => server.closeAllConnections(), Math.min(graceMs, longestTimer));
    await closed;
    clearTimeout(timer);
  };
}

function cannotListen(error: NodeJS.ErrnoException, { host, port, portSetting }: ListenOptions): ListenError {
  const by = portSetting === undefined ? "" : ` with ${portSetting}`;
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} on ${host} is taken: stop the other program or choose another port${by} (0 = any free one)`,
    EADDRNOTAVAIL: `${host} is no address of this machine`,
    ENOTFOUND: `the name ${host} does not resolve`,
    // Windows reserves ranges of higher ports too, 8000 often among them.
    EACCES: `port ${port} may not be used by this user: choose ${port < 1024 ? "one above 1023" : "another"}${by}`,
  };
  const reason = reasons[error.code ?? ""] ?? `${host}:${port} (${error.code ?? "unknown reason"})`;
  return new ListenError(`Cannot listen: ${reason}`, { cause: error });
}

/** A wildcard address is listened on, not called: show one that works here. `::` takes IPv4 too, which every machine has. */
function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
