import type { FetchLike } from "@modelcontextprotocol/client";
import { inTime } from "../../base/deadline.ts";
import type { AgentLog } from "../agent-log.ts";
import type { Tool } from "../tool.ts";
import type { McpConfig } from "./mcp-config.ts";
import { createConnectedServer, type McpServerStatus } from "./connected-server.ts";
import { openToolPins } from "./tool-pins.ts";

export interface McpOptions {
  readonly log: AgentLog;
  /** Opens the connections to servers with a url. Answers must stream. Without it such servers are not reached. */
  readonly fetch?: FetchLike | undefined;
  /** How long the start waits for slow servers; they join later. */
  readonly startWaitMs?: number;
  readonly connectTimeoutMs?: number;
  readonly reconnect?: { readonly firstMs: number; readonly maxMs: number };
  readonly random?: () => number;
  readonly now?: () => number;
}

/** The MCP servers of this process. */
export interface McpServers {
  /** What can be used right now: ask anew for every run. */
  tools(): readonly Tool[];
  status(): readonly McpServerStatus[];
  /** Ends all connections and the processes we started. */
  close(): Promise<void>;
}

/**
 * Connects to every server of the operator's list. A server that is down does not stop the start: it is tried again, with
 * growing pauses. Rejects only when the file of pins cannot be used.
 */
export async function connectMcpServers(
  config: McpConfig,
  {
    log,
    fetch,
    startWaitMs = 10_000,
    connectTimeoutMs = 30_000,
    reconnect = { firstMs: 500, maxMs: 30_000 },
    random = Math.random,
    now = Date.now,
  }: McpOptions,
): Promise<McpServers> {
  const pins = await openToolPins(config.pins);
  const servers = config.servers.map((server) =>
    createConnectedServer(server, { pins, fetch, log, connectTimeoutMs, reconnect, random, now }),
  );
  await inTime(Promise.all(servers.map((server) => server.start())), startWaitMs);

  return {
    tools: () => servers.flatMap((server) => server.tools()),
    status: () => servers.map((server) => server.status()),
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
