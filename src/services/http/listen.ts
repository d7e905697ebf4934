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
  readonly app: Hono<ShellEnvironment> & { readonly door?: EarlyRefusal | null };
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
    // Bodies that nobody read are dropped here, hundreds of refused ones not all at once.
    autoCleanupIncoming: false,
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
  const dropBody = createBodyDropper();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!connections.begin(request.socket, response)) return void request.socket.destroy();
    if (!server.listening) response.shouldKeepAlive = false;
    response.once("close", () => dropBody(request));
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

/** Writes an answer straight to a socket and closes it: for requests that never became one. */
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

/** What Node's HTTP parser reports about a request it could not read. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** The error a client is told, or null when there is nobody left to tell. */
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

/** The parser has one limit for the request line and the headers; a packet without any line end is one long line. */
function isLongTarget(packet: Buffer | undefined): boolean {
  if (packet === undefined) return false;
  const lineEnd = packet.indexOf("\n");
  return /^[A-Z]+ \S/.test(packet.toString("latin1", 0, 16)) && (lineEnd === -1 || lineEnd > 8192);
}

interface Connection {
  latest: ServerResponse;
  unanswered: number;
}

/** Requests that a client may send on one connection before the first of them is answered. Browsers send one. */
const mostAhead = 10;

/** What is under way on each connection of a server. */
class Connections {
  readonly #known = new WeakMap<Duplex, Connection>();
  readonly #onAnswered: () => void;

  /** `onAnswered` is called after each answer, also after one that was cut short. */
  constructor(onAnswered: () => void) {
    this.#onAnswered = onAnswered;
  }

  /**
   * Counts a request. False where too many on its connection are unanswered: one packet holds a thousand small ones, Node begins
   * all of them at once, and the answers for a client that reads none would wait in our memory.
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
    return connection.unanswered <= mostAhead;
  }

  /** An answer that has begun must not be followed by another one inside it. */
  isAnswering(socket: Duplex): boolean {
    const latest = this.#known.get(socket)?.latest;
    return latest !== undefined && latest.headersSent && !latest.writableFinished;
  }

  /** The client has asked, and has read all there is of the answer so far. */
  isWaitingForUs(socket: Duplex): boolean {
    const latest = this.#known.get(socket)?.latest;
    return latest !== undefined && !latest.writableFinished && socket.writableLength === 0;
  }
}
