import { randomUUID } from "node:crypto";
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError, type HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import type { Logger } from "pino";
import { longestTimer } from "../../base/deadline.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Settings } from "../../settings.ts";
import type { EarlyRefusal } from "./limits/early-refusal.ts";
import { createBodyDropper } from "./limits/drop-body.ts";
import { errorResponse, unexpected } from "./responses/error-response.ts";
import { fixedHeaders } from "./responses/response-headers.ts";
import type { ShellEnvironment } from "./shell-environment.ts";

export interface ListenOptions {
  readonly app: Hono<ShellEnvironment> & { readonly earlyRefusal?: EarlyRefusal | null };
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** The setting that chooses the port, for the error message. */
  readonly portSetting?: string;
  readonly limits: Omit<Settings["http"], "shutdownGraceMs">;
  readonly log: Logger;
  /** For `rehearsal-version` on responses that the app did not write. */
  readonly version: string;
  /** The interval at which timeouts are checked. */
  readonly checkIntervalMs?: number;
  /** The time after which a client that reads nothing of its response is disconnected. */
  readonly stalledMs?: number;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Stops accepting, lets running requests finish for at most `graceMs`, then cuts the rest. Resolves when all are closed. */
  close(graceMs: number): Promise<void>;
}

/** The address cannot be used. The message is one line for the operator. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** Starts a server for the app. Rejects with a `ListenError` when the address cannot be used. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { host } = options;
  const server = createHttpServer(options);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(error, options)));
    // Under overload, connections wait here to be refused. Beyond the default of 511 the system drops their packets, and the clients
    // retry only after seconds.
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
    // Other code in this process relies on Node's own globals.
    overrideGlobalObjects: false,
    // Unread bodies are dropped below, a few at a time.
    autoCleanupIncoming: false,
    errorHandler: (error) => refuse(fromAdapterError(error), "unusable address"),
  });
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    maxHeaderSize: limits.headerBytes,
    connectionsCheckingInterval: checkIntervalMs,
    // The app responds to a missing Host, with a body.
    requireHostHeader: false,
  });
  server.maxHeadersCount = limits.headers;
  server.maxConnections = limits.connections;

  const connections = new Connections(() => closeIdleWhenDraining(server));
  const dropBody = createBodyDropper();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!connections.begin(request.socket, response)) return void request.socket.destroy();
    if (!server.listening) response.shouldKeepAlive = false;
    response.once("close", () => dropBody(request));
    if (!app.earlyRefusal?.refuse(request, response)) void handle(request, response);
  });
  server.setTimeout(stalledMs, (socket) => closeStalled(socket, { connections, stalledMs }));
  server.on("clientError", (error: ParserError, socket: Duplex) => {
    const problem = fromParserError(error);
    if (problem === null || !socket.writable || connections.isAnswering(socket)) return void socket.destroy();
    // Only the code is logged: the parser's error holds the bytes of the request.
    void answerRaw(socket, refuse(problem, error.code ?? ""));
  });
  server.on("checkExpectation", ({ socket }: IncomingMessage) => {
    void answerRaw(
      socket,
      refuse(new ServiceError("header_invalid", "The only supported Expect value is 100-continue."), "expect"),
    );
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    void answerRaw(
      socket,
      refuse(
        new ServiceError("method_not_allowed", "CONNECT is not supported.", { headers: { allow: "" } }),
        "connect",
      ),
    );
  });
  return server;
}

/** The response to a request that never reached the app. */
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

/** Converts errors of the adapter (an unusable Host or target), and errors that escaped the app. */
function fromAdapterError(error: unknown): ServiceError {
  if (!(error instanceof RequestError)) return unexpected(error);
  return new ServiceError("header_invalid", "The Host header or the request target is malformed.");
}

/**
 * Cuts clients that do not read: their responses would stay in memory. A response with nothing to send yet is kept. Idle connections
 * arrive here too, after `keepAliveTimeout`.
 */
function closeStalled(
  socket: IncomingMessage["socket"],
  { connections, stalledMs }: { connections: Connections; stalledMs: number },
): void {
  if (connections.isWaitingForUs(socket)) socket.setTimeout(stalledMs);
  else socket.destroy();
}

/** While the server stops, busy connections close after their response instead of waiting for another request. */
function closeIdleWhenDraining(server: Server): void {
  if (!server.listening) setImmediate(() => server.closeIdleConnections());
}

/** May be called again with a shorter grace, as by a second signal. */
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
    EADDRINUSE: `port ${port} on ${host} is in use: stop the other program or choose another port${by} (0 = any free one)`,
    EADDRNOTAVAIL: `${host} is not an address of this machine`,
    ENOTFOUND: `the name ${host} does not resolve`,
    // Windows also reserves ranges of higher ports, often including 8000.
    EACCES: `port ${port} may not be used by this user: choose ${port < 1024 ? "one above 1023" : "another"}${by}`,
  };
  const reason = reasons[error.code ?? ""] ?? `${host}:${port} (${error.code ?? "unknown reason"})`;
  return new ListenError(`Cannot listen: ${reason}`, { cause: error });
}

/** A wildcard address cannot be called, so a loopback address is shown. `::` accepts IPv4 too, which every machine has. */
function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** Writes a response directly to a socket and closes it: for requests that could not be parsed. */
async function answerRaw(socket: Duplex, answer: Response): Promise<void> {
  const body = await answer.text();
  const headers = new Headers(answer.headers);
  headers.set("content-length", String(Buffer.byteLength(body)));
  headers.set("date", new Date().toUTCString());
  headers.set("connection", "close");
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}`,
    ...[...headers].map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/** The error of Node's HTTP parser for a malformed request. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** The error for the client; null when the connection is lost. */
function fromParserError(error: ParserError): ServiceError | null {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return isLongTarget(error.rawPacket)
        ? new ServiceError("uri_too_long", "The address is too long.")
        : new ServiceError("headers_too_large", "The headers are too large or too many.");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new ServiceError("body_too_large", "The chunk extensions are too large.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ServiceError("request_timeout", "The request did not arrive in time.");
    case "HPE_INVALID_METHOD":
      return new ServiceError("header_invalid", "The request line is not HTTP/1.1 with a known method.");
    default:
      return error.code?.startsWith("HPE_")
        ? new ServiceError("header_invalid", "The request line, the headers or the body framing are malformed.")
        : null;
  }
}

/** The parser has one limit for request line and headers together. A packet without a line end is one long request line. */
function isLongTarget(packet: Buffer | undefined): boolean {
  if (packet === undefined) return false;
  const lineEnd = packet.indexOf("\n");
  return /^[A-Z]+ \S/.test(packet.toString("latin1", 0, 16)) && (lineEnd === -1 || lineEnd > 8192);
}

interface Connection {
  latest: ServerResponse;
  unanswered: number;
}

/** Pipelined requests that one connection may have unanswered. Browsers send one. */
const maxPipelined = 10;

/** Tracks the requests in progress on each connection. */
class Connections {
  readonly #known = new WeakMap<Duplex, Connection>();
  readonly #onAnswered: () => void;

  /** `onAnswered` is called after each response, including those that were cut. */
  constructor(onAnswered: () => void) {
    this.#onAnswered = onAnswered;
  }

  /**
   * Counts a request. False when too many on its connection are unanswered: one packet can hold a thousand small requests, Node starts
   * all of them at once, and their responses would wait in memory for a client that reads none.
   */
  begin(socket: Duplex, response: ServerResponse): boolean {
    const connection = this.#known.get(socket) ?? { latest: response, unanswered: 0 };
    this.#known.set(socket, connection);
    connection.latest = response;
    connection.unanswered += 1;
    response.once("close", () => {
      connection.unanswered -= 1;
      this.#onAnswered();
    });
    return connection.unanswered <= maxPipelined;
  }

  /** True while a response is being written: another one must not start inside it. */
  isAnswering(socket: Duplex): boolean {
    const latest = this.#known.get(socket)?.latest;
    return latest !== undefined && latest.headersSent && !latest.writableFinished;
  }

  /** True when a response is pending and the client has read all of it so far. */
  isWaitingForUs(socket: Duplex): boolean {
    const latest = this.#known.get(socket)?.latest;
    return latest !== undefined && !latest.writableFinished && socket.writableLength === 0;
  }
}
