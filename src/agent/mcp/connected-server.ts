import type { FetchLike, Tool as ListedTool } from "@modelcontextprotocol/client";
import type { AgentLog } from "../agent-log.ts";
import { firstCharacters } from "../cap-text.ts";
import { withoutSecrets } from "../text/without-secrets.ts";
import { defineTool, ToolError, type Tool, type ToolArguments } from "../tool.ts";
import { createMcpConnection, type ConnectionOptions, type McpConnection } from "./mcp-connection.ts";
import type { McpServerConfig } from "./mcp-config.ts";
import { mcpToolName } from "./mcp-tool-name.ts";
import { resultToText } from "./result-to-text.ts";
import type { RefusedTool, ToolPins } from "./tool-pins.ts";

export interface McpServerStatus {
  readonly name: string;
  readonly kind: McpServerConfig["kind"];
  readonly connected: boolean;
  readonly protocol_version: string | null;
  readonly pid: number | null;
  readonly tools: readonly string[];
  /** Tools that do not look as they did when they were pinned. */
  readonly refused: readonly RefusedTool[];
}

/** One server of the operator's list and the tools it may contribute. */
export interface ConnectedServer extends Pick<McpConnection, "start" | "close"> {
  /** Also while the server is away: a call brings it back or says that it is gone. */
  tools(): readonly Tool[];
  status(): McpServerStatus;
}

export interface ConnectedServerOptions extends Omit<ConnectionOptions, "onTools"> {
  readonly pins: ToolPins;
  readonly fetch: FetchLike | undefined;
}

export function createConnectedServer(
  config: McpServerConfig,
  { pins, ...options }: ConnectedServerOptions,
): ConnectedServer {
  let tools: readonly Tool[] = [];
  let refused: readonly RefusedTool[] = [];

  const connection = createMcpConnection(config, {
    ...options,
    onTools: async (listed) => {
      const checked = await pins.check(config.name, withoutDoubles(listed));
      for (const { tool, reason } of checked.refused) {
        if (refused.some((known) => known.tool === tool && known.reason === reason)) continue;
        const advice = `to accept it, ${pins.howToAccept(config.name)}`;
        options.log.warn({ server: config.name, tool, reason, advice }, "mcp tool refused: it is not what was pinned");
      }
      refused = checked.refused;
      warnOfUnknown(config, listed, options.log);
      const allowed = checked.accepted.filter(({ name }) => config.allow?.includes(name) ?? true);
      tools = allowed.flatMap((tool) => toTool(config, tool, connection, options.log));
    },
  });

  return {
    start: connection.start,
    close: connection.close,
    tools: () => tools,
    status: () => ({
      name: config.name,
      kind: config.kind,
      ...connection.status(),
      tools: tools.map((tool) => tool.definition.name),
      refused,
    }),
  };
}

function withoutDoubles(listed: readonly ListedTool[]): readonly ListedTool[] {
  return [...new Map(listed.toReversed().map((tool) => [tool.name, tool])).values()].toReversed();
}

/** A name that the server does not have is most likely a slip of the pen, and approval would then not be asked for. */
function warnOfUnknown(config: McpServerConfig, listed: readonly ListedTool[], log: AgentLog): void {
  const known = new Set(listed.map(({ name }) => name));
  const named = [...(config.allow ?? []), ...(config.approval === true ? [] : config.approval)];
  const unknown = named.filter((name) => !known.has(name));
  if (unknown.length > 0) log.warn({ server: config.name, tools: unknown }, "mcp server has no such tools");
}

const longestDescription = 4000;
const longestCallMs = 3_600_000;

/** Empty when the tool's schema cannot be used. */
function toTool(
  config: McpServerConfig,
  listed: ListedTool,
  connection: McpConnection,
  log: AgentLog,
): readonly Tool[] {
  const { name, title, description, inputSchema } = listed;
  const clean = (text: string) => withoutSecrets(text, config.secrets);
  const cleanError = (error: unknown): never => {
    throw error instanceof ToolError ? new ToolError(clean(error.message), { cause: error }) : error;
  };
  try {
    return [
      defineTool({
        name: mcpToolName(config.name, name),
        description: firstCharacters(description ?? title ?? name, longestDescription),
        parameters: inputSchema,
        timeoutMs: config.timeoutMs,
        needsApproval: config.approval === true || config.approval.includes(name),
        run: async (args, { signal }) => {
          const limits = { signal, timeoutMs: longestCallMs };
          const result = await connection.call({ name, inputSchema }, args as ToolArguments, limits).catch(cleanError);
          const text = clean(resultToText(result));
          if (result.isError) throw new ToolError(text);
          return text;
        },
      }),
    ];
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown";
    log.warn({ server: config.name, tool: name, reason }, "mcp tool cannot be used");
    return [];
  }
}
