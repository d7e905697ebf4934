import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { AgentLog } from "../../src/agent/agent-log.ts";
import { connectMcpServers, type McpOptions, type McpServers } from "../../src/agent/mcp/connect-mcp-servers.ts";
import type { HttpServer, McpServerConfig, StdioServer } from "../../src/agent/mcp/mcp-config.ts";

/** The protocol's own reference server. */
export const everythingServer = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);
export const changingServer = fileURLToPath(new URL("changing-server.ts", import.meta.url));

const options = { allow: null, approval: [], timeoutMs: undefined } as const;

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

export function httpServer(url: string, rest: Partial<HttpServer> = {}): HttpServer {
  return { ...options, kind: "http", name: "test", url, headers: {}, ...rest };
}

export interface RecordedLog extends AgentLog {
  readonly lines: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[];
}

export function recordedLog(): RecordedLog {
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
      signal: new AbortController().signal,
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
