import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { isRecord } from "../../base/json.ts";
import { isLoopback } from "../../settings/address.ts";
import { CliError } from "../terminal/cli-error.ts";
import { version } from "../terminal/version.ts";
import type { StandaloneWorld, WorldOfSession } from "./standalone-world.ts";

/** Serves a world over standard input and output: the process is the session. Resolves when the client has gone. */
export async function serveOverStdio(world: StandaloneWorld): Promise<void> {
  const server = serverOf(world.open("stdio"));
  await server.connect(new StdioServerTransport());
  await once(process.stdin, "end");
  await server.close();
}

function serverOf({ tools, call }: WorldOfSession): Server {
  const server = new Server({ name: "rehearsal-world", version }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      inputSchema: { ...parameters, type: "object" as const },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const { text, isError } = (await call(params.name, params.arguments, mcpReq.signal)) ?? closed;
    return { content: [{ type: "text", text }], isError };
  });
  return server;
}

const closed = { text: "The session is over.", isError: true };

interface HttpWorld extends AsyncDisposable {
  readonly url: string;
}

/** Open sessions; the oldest is closed to make room for another. */
const mostSessions = 1_000;

/**
 * Serves a world over streamable HTTP. `/mcp` gives each client that initializes a session of its own; clients without sessions
 * choose one by the address `/sessions/<name>/mcp`. `GET /sessions/<name>/state` answers the state of a session.
 */
export async function serveOverHttp(
  world: StandaloneWorld,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<HttpWorld> {
  const sessions = new Map<string, WorldOfSession>();
  const handler = createMcpHandler(({ requestInfo }) => {
    const session = requestInfo && sessions.get(nameIn(requestInfo.url) ?? "");
    if (!session) throw new Error("The session of a request is not known.");
    return serverOf(session);
  });

  function open(name: string): WorldOfSession {
    const known = sessions.get(name);
    if (known) return known;
    const [oldest] = sessions.size >= mostSessions ? sessions.keys() : [];
    if (oldest !== undefined) sessions.delete(oldest);
    const opened = world.open(name);
    sessions.set(name, opened);
    return opened;
  }

  async function answer(request: Request): Promise<Response> {
    if (!isAllowedHost(request, host)) return problem(403, "This world is served to clients of its own address only.");
    const { pathname } = new URL(request.url);
    const name = nameIn(request.url);
    if (pathname === `/sessions/${name}/state` && request.method === "GET") {
      const session = sessions.get(name ?? "");
      return session ? Response.json(session.state()) : problem(404, "There is no such session.");
    }
    if (pathname !== "/mcp" && pathname !== `/sessions/${name}/mcp`) return problem(404, "The world is at /mcp.");
    const body: unknown = request.method === "POST" ? await request.json().catch(() => undefined) : undefined;
    if (name !== null) {
      open(name);
      return forward(request, name, body);
    }
    const asked = request.headers.get("mcp-session-id");
    if (asked !== null) {
      if (!sessions.has(asked)) return problem(404, "The session is over, or never began: initialize again.");
      if (request.method !== "DELETE") return forward(request, asked, body);
      sessions.delete(asked);
      return new Response(null, { status: 204 });
    }
    const method = isRecord(body) ? body["method"] : undefined;
    if (method !== "initialize") {
      return problem(
        400,
        "A session begins with initialize. A client without sessions uses /sessions/<a name of its own>/mcp.",
      );
    }
    const created = randomUUID();
    open(created);
    const response = await forward(request, created, body);
    response.headers.set("mcp-session-id", created);
    return response;
  }

  async function forward(request: Request, name: string, parsedBody: unknown): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.delete("mcp-session-id");
    const url = new URL(`/sessions/${encodeURIComponent(name)}/mcp`, request.url);
    const inner = new Request(url, {
      method: request.method,
      headers,
      signal: request.signal,
      ...(request.method === "POST" && { body: JSON.stringify(parsedBody ?? null) }),
    });
    const response = await handler.fetch(inner, parsedBody === undefined ? {} : { parsedBody });
    const answered = new Response(response.body, response);
    answered.headers.delete("connection");
    return answered;
  }

  const server = createServer(getRequestListener(answer, { overrideGlobalObjects: false }));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const reason = { EADDRINUSE: "is in use", EACCES: "may not be opened by this user" }[cause.code ?? ""];
      reject(new CliError(`--port: ${port} ${reason ?? "cannot be opened"}`, undefined, { cause }));
    });
    server.listen({ host, port }, resolve);
  });
  const shown = host.includes(":") ? `[${host}]` : host === "0.0.0.0" ? "127.0.0.1" : host;
  return {
    url: `http://${shown}:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

/** The name of the session in an address; null for one without. */
function nameIn(url: string): string | null {
  const [, name] = /^\/sessions\/([\w.-]{1,128})\/(?:mcp|state)$/.exec(new URL(url).pathname) ?? [];
  return name ?? null;
}

/** A page in a browser must not reach a world of this machine under a name of its own. */
function isAllowedHost(request: Request, host: string): boolean {
  if (!isLoopback(host)) return true;
  const origin = request.headers.get("origin");
  const names = [new URL(request.url).hostname, ...(origin === null ? [] : [URL.parse(origin)?.hostname ?? ""])];
  return names.every((name) => isLoopback(name.replace(/^\[(.*)\]$/, "$1")));
}

function problem(status: number, detail: string): Response {
  const body = { jsonrpc: "2.0", id: null, error: { code: -32_000, message: detail } };
  return Response.json(body, { status, headers: { "cache-control": "no-store" } });
}
