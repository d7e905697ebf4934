import { randomUUID } from "node:crypto";
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as NetServer, type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { getRequestListener, RequestError, type HttpBindings } from "@hono/node-server";
import type { Logger } from "pino";
import { longestTimer } from "../../base/deadline.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { Settings } from "../../settings.ts";
import { createBodyDropper } from "./limits/drop-body.ts";
import { errorResponse, unexpected } from "./responses/error-response.ts";
import { fixedHeaders } from "./responses/response-headers.ts";
import type { Shell } from "./shell.ts";

export interface ListenOptions {
  readonly app: Pick<Shell, "fetch" | "early">;
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
  /**
   * Stops accepting connections, and resolves when those that had no request under way are closed: all requests from before have
   * arrived.
   */
  stopAccepting(): Promise<void>;
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
  const { server, connections } = createHttpServer(options);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(error, options)));
    // Under overload, connections wait here to be refused. Beyond the default of 511 the system drops their packets, and the clients
    // retry only after seconds.
    server.listen({ host, port: options.port, backlog: options.limits.connections }, resolve);
  });
  server.on("error", (error) => options.log.error({ err: error }, "server error"));
  const bound = (server.address() as AddressInfo).port;
  return { url: `http://${urlHost(host)}:${bound}`, port: bound, ...createDrain(server, connections) };
}

function createHttpServer({ app, limits, log, version, checkIntervalMs = 1000, stalledMs = 120_000 }: ListenOptions): {
  readonly server: Server;
  readonly connections: Connections;
} {
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

  const connections = new Connections();
  server.on("connection", (socket) => connections.opened(socket));
  const dropBody = createBodyDropper();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!connections.begin(request.socket, response)) return void request.socket.destroy();
    if (connections.isDraining) response.shouldKeepAlive = false;
    response.once("close", () => dropBody(request));
    connections.start(() => {
      if (!app.early.answer(request, response)) void handle(request, response);
    });
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
  return { server, connections };
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

/**
 * Stops without a connection reset: every connection that the system has accepted gets its answer. May be called again with a shorter
 * grace, as by a second signal.
 */
function createDrain(server: Server, connections: Connections): Pick<Listening, "stopAccepting" | "close"> {
  let accepting: Promise<void> | undefined;
  const closed = new Promise<void>((resolve) => server.once("close", resolve));

  async function endAccepting(): Promise<void> {
    const stopLooking = connections.drain();
    await new Promise<void>((resolve) =>
      closeWhenNoneWaits(server, () => {
        // Node's own `server.close` also cuts connections whose first request is still on its way.
        NetServer.prototype.close.call(server);
        connections.release();
        resolve();
      }),
    );
    void closed.then(() => {
      stopLooking();
      // Ends Node's check of timeouts.
      server.close(() => {});
    });
    await Promise.race([connections.untilBusyOnly(), wait(quietAtMostMs, undefined, { ref: false })]);
  }

  function cut(): void {
    server.on("connection", (socket) => socket.destroy());
    server.closeAllConnections();
  }

  const stopAccepting = (): Promise<void> => (accepting ??= endAccepting());
  return {
    stopAccepting,
    async close(graceMs) {
      void stopAccepting();
      const timer = setTimeout(cut, Math.min(graceMs, longestTimer));
      await closed;
      clearTimeout(timer);
    },
  };
}

/** A client may send the beginning of a request and no more. */
const quietAtMostMs = 1_000;
/** A turn of the event loop in which nothing happened takes a few microseconds. */
const emptyTurnMs = 0.2;
/** On a busy machine no turn may be as quick. */
const quickTurnsMs = 500;
/** Under load there may be no turn without a new connection. */
const mostTurnsMs = 2_000;

/**
 * Calls `close` in a turn of the event loop that did nothing but find no new connection. Connections that the system has accepted and
 * we have not are reset when the listening socket closes, so as little time as possible may lie between the two.
 */
function closeWhenNoneWaits(server: Server, close: () => void): void {
  let accepted = true;
  const note = (): void => void (accepted = true);
  const startedAt = performance.now();
  let turnedAt = 0;
  const turn = (): void => {
    const now = performance.now();
    const isEmpty = !accepted && (now - turnedAt < emptyTurnMs || now - startedAt > quickTurnsMs);
    if (!isEmpty && now - startedAt < mostTurnsMs) {
      accepted = false;
      turnedAt = now;
      return void setImmediate(turn);
    }
    server.off("connection", note);
    close();
  };
  server.on("connection", note);
  setImmediate(turn);
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

type Socket = IncomingMessage["socket"];

interface Connection {
  latest: ServerResponse | null;
  unanswered: number;
  /** Since when no request is under way, by `performance.now()`, and how much had arrived by then. */
  idle: { readonly since: number; readonly bytesRead: number };
}

/** While the server stops, a connection without a request for so long is closed: a client that was about to send one has. */
const quietMs = 250;

const idleNow = ({ bytesRead }: Socket) => ({ since: performance.now(), bytesRead });

/** Pipelined requests that one connection may have unanswered. Browsers send one. */
const maxPipelined = 10;

/** Tracks the requests in progress on each connection. */
class Connections {
  readonly #known = new Map<Socket, Connection>();
  isDraining = false;
  /** Requests that wait until no more connections are accepted. */
  #held: (() => void)[] | null = null;

  /**
   * Starts to answer a request. For the moment in which the listening socket is closed, none is started: our own work would lie between
   * the last look for new connections and that, and clients that get no answer open no other connection.
   */
  start(answer: () => void): void {
    if (this.#held) this.#held.push(answer);
    else answer();
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const answer of held) answer();
  }

  opened(socket: Socket): void {
    this.#known.set(socket, { latest: null, unanswered: 0, idle: idleNow(socket) });
    socket.once("close", () => this.#known.delete(socket));
  }

  /** From here on, connections end after their answer, or when they have been quiet. Returns what ends the looking for those. */
  drain(): () => void {
    this.isDraining = true;
    this.#held = [];
    this.#closeQuiet();
    const timer = setInterval(() => this.#closeQuiet(), quietMs / 5);
    return () => clearInterval(timer);
  }

  /** Resolves when every connection has a request under way. */
  async untilBusyOnly(): Promise<void> {
    while (this.#known.values().some(({ unanswered }) => unanswered === 0)) await wait(quietMs / 10);
  }

  #closeQuiet(): void {
    // After the reads of this turn: what has arrived must not be cut.
    setImmediate(() => {
      const before = performance.now() - quietMs;
      for (const [socket, { unanswered, idle }] of this.#known) {
        if (unanswered === 0 && idle.since < before && socket.bytesRead === idle.bytesRead) socket.destroy();
      }
    });
  }

  /**
   * Counts a request. False when too many on its connection are unanswered: one packet can hold a thousand small requests, Node starts
   * all of them at once, and their responses would wait in memory for a client that reads none.
   */
  begin(socket: Socket, response: ServerResponse): boolean {
    const connection = this.#known.get(socket);
    if (!connection) return false;
    connection.latest = response;
    connection.unanswered += 1;
    response.once("close", () => {
      connection.unanswered -= 1;
      connection.idle = idleNow(socket);
    });
    return connection.unanswered <= maxPipelined;
  }

  /** True while a response is being written: another one must not start inside it. */
  isAnswering(socket: Duplex): boolean {
    const latest = this.#known.get(socket as Socket)?.latest;
    return !!latest && latest.headersSent && !latest.writableFinished;
  }

  /** True when a response is pending and the client has read all of it so far. */
  isWaitingForUs(socket: Duplex): boolean {
    const latest = this.#known.get(socket as Socket)?.latest;
    return !!latest && !latest.writableFinished && socket.writableLength === 0;
  }
}
