import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { AgentLog } from "../../src/agent/tools/agent-log.ts";
import { connectMcpServers, type McpOptions, type McpServers } from "../../src/agent/mcp/mcp-servers.ts";
import type { HttpServer, McpServerConfig, StdioServer } from "../../src/agent/mcp/mcp-config.ts";

/** The protocol's own reference server. */
export const everythingServer = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);
export const changingServer = fileURLToPath(new URL("changing-server.ts", import.meta.url));
const rawStdioServer = fileURLToPath(new URL("raw-stdio-server.ts", import.meta.url));

const options = { allow: null, approval: [], timeoutMs: undefined, secrets: [] } as const;

export function stdioServer(script: string, { args = [], ...rest }: Partial<StdioServer> = {}): StdioServer {
  return {
    ...options,
    kind: "stdio",
    name: "test",
    command: process.execPath,
    env: {},
    cwd: undefined,
    ...rest,
    args: [script, ...args],
  };
}

/** A port of this machine without a listener. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  const port = await listenHere(probe);
  probe.close();
  await once(probe, "close");
  return port;
}

async function listenHere(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Listens until the test has ended. The port. */
export async function listenForTest(server: Server): Promise<number> {
  const port = await listenHere(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return port;
}

/** The reference server at a port: over HTTP with sessions as before 2026, or over the older transport. */
export async function startEverything(
  port: number,
  transport: "streamableHttp" | "sse",
): Promise<{ stop(): Promise<void> }> {
  const child = spawn(process.execPath, [everythingServer, transport], {
    env: { PATH: process.env["PATH"], PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(stop);
  const listening = Promise.withResolvers<void>();
  // Read to the end: over the older transport it writes a line per message, and dies when its output is not read.
  child.stderr.on("data", (chunk) => /listening|running on port/.test(String(chunk)) && listening.resolve());
  await listening.promise;
  return { stop };
}

export function httpServer(url: string, rest: Partial<HttpServer> = {}): HttpServer {
  return { ...options, kind: "http", name: "test", url, headers: {}, isOlder: false, ...rest };
}

/** The script of a server over standard input and output, see raw-stdio-server.ts. */
export function rawStdio(
  said: {
    pages: readonly object[];
    calls?: readonly (readonly unknown[])[];
    greeting?: readonly unknown[];
    isRestless?: boolean;
  },
  rest: Partial<StdioServer> = {},
): StdioServer {
  return stdioServer(rawStdioServer, { ...rest, args: [JSON.stringify(said)] });
}

/** Answers one JSON-RPC request: gives its result, or writes to the response itself and gives null. */
export type RawAnswer = (
  request: { readonly id: number | string; readonly method: string; readonly session: unknown },
  response: ServerResponse,
) => object | null;

/** The fields of every result of the current revision. */
const modern = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

export interface RawServer {
  readonly tools?: readonly unknown[] | undefined;
  /** The page of a cursor, in place of `tools`. */
  readonly list?: ((cursor: string | undefined) => object) | undefined;
  /** Speaks the current revision, and no older one. */
  readonly isModern?: boolean | undefined;
  /** Overrides of its own description. */
  readonly welcome?: object | undefined;
  /** The names of the sessions it begins, one after the other. */
  readonly sessions?: readonly string[] | undefined;
  readonly answer: RawAnswer;
}

/** A server over HTTP that says whatever a test wants, also what no library would say. */
export async function startRawServer({
  tools,
  list,
  isModern,
  welcome,
  sessions = [],
  answer,
}: RawServer): Promise<string> {
  const names = [...sessions];
  const capabilities = tools || list ? { tools: {} } : {};
  const page = list ?? (() => ({ tools }));
  const serverInfo = { name: "raw", version: "1" };
  const results: Readonly<Record<string, (params: { cursor?: string }) => object>> = isModern
    ? {
        "server/discover": () => ({ ...modern, supportedVersions: ["2026-07-28"], capabilities }),
        "tools/list": ({ cursor }) => ({ ...modern, ...page(cursor) }),
      }
    : {
        initialize: () => ({ protocolVersion: "2025-06-18", capabilities, serverInfo, ...welcome }),
        "tools/list": ({ cursor }) => page(cursor),
      };
  const server = createServer(async (request, response) => {
    if (request.url !== "/mcp") return void response.writeHead(404).end();
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse((await Array.fromAsync(request)).join(""));
    if (message.id === undefined) return void response.writeHead(202).end();
    const json = (part: object) =>
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...part }));
    if (message.method === "server/discover" && !isModern)
      return void json({ error: { code: -32601, message: "Method not found" } });
    const session = message.method === "initialize" ? names.shift() : undefined;
    if (session !== undefined) response.setHeader("mcp-session-id", session);
    const question = { ...message, session: request.headers["mcp-session-id"] };
    const result = results[message.method]?.(message.params ?? {}) ?? answer(question, response);
    if (result) json({ result });
  });
  return `http://127.0.0.1:${await listenForTest(server)}/mcp`;
}

export interface RecordedLog extends AgentLog {
  readonly lines: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[];
}

function recordedLog(): RecordedLog {
  const lines: RecordedLog["lines"] = [];
  const write: AgentLog["info"] = (fields, message) => void lines.push({ message, fields });
  return { lines, debug: () => {}, info: write, warn: write };
}

/** Connects for the length of one test. */
export async function connectForTest(
  servers: readonly McpServerConfig[],
  { pins = null, ...rest }: Partial<McpOptions> & { pins?: string | null } = {},
): Promise<{ mcp: McpServers; log: RecordedLog }> {
  const log = recordedLog();
  const mcp = await connectMcpServers(
    { servers, pins },
    {
      log,
      reconnect: { firstMs: 20, maxMs: 200 },
      startWaitMs: 20_000,
      ...rest,
    },
  );
  onTestFinished(() => mcp.close());
  return { mcp, log };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
