import type { FetchLike, Tool as ListedTool } from "@modelcontextprotocol/client";
import type { AgentLog } from "../agent-log.ts";
import { firstCharacters } from "../cap-text.ts";
import { withoutSecrets } from "../text/without-secrets.ts";
import { defineTool, ToolError, type Tool, type ToolArguments } from "../tool.ts";
import type { UnusableTool } from "./listed-tool.ts";
import { createMcpConnection, type ConnectionOptions, type McpConnection } from "./mcp-connection.ts";
import type { McpServerConfig } from "./mcp-config.ts";
import { mcpToolName } from "./mcp-tool-name.ts";
import type { ToolList } from "./open-client.ts";
import { mostPages } from "./tool-list.ts";
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
  /** Tools that the agent cannot offer, and why. */
  readonly unusable: readonly UnusableTool[];
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
  const { log } = options;
  const server = config.name;
  let tools: readonly Tool[] = [];
  let refused: readonly RefusedTool[] = [];
  let unusable: readonly UnusableTool[] = [];
  let wasCut = false;

  const connection = createMcpConnection(config, {
    ...options,
    onTools: async (list) => {
      const checked = await pins.check(server, list.tools);
      const isAllowed = (name: string) => config.allow?.includes(name) ?? true;
      const made = checked.accepted
        .filter(({ name }) => isAllowed(name))
        .map((tool) => toTool(config, tool, connection));
      const found = [...list.unusable.filter(({ tool }) => isAllowed(tool)), ...made.filter(isUnusable)];

      for (const { tool, reason } of newsOf(checked.refused, refused)) {
        const advice = `to accept it, ${pins.howToAccept(server)}`;
        log.warn({ server, tool, reason, advice }, "mcp tool refused: it is not what was pinned");
      }
      for (const tool of newsOf(found, unusable)) log.warn({ server, ...tool }, "mcp tool cannot be used");
      if (list.isCut && !wasCut)
        log.warn({ server, pages: mostPages }, "mcp list of tools has no end: its rest is not read");
      warnOfUnknown(config, list, log);

      tools = made.filter(isTool);
      refused = checked.refused;
      unusable = found;
      wasCut = list.isCut;
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
      unusable,
    }),
  };
}

/** What was not said before: servers are asked for their tools again and again. */
function newsOf<Note extends { readonly tool: string; readonly reason: string }>(
  notes: readonly Note[],
  said: readonly Note[],
): readonly Note[] {
  return notes.filter(({ tool, reason }) => !said.some((known) => known.tool === tool && known.reason === reason));
}

/** A name that the server does not have is most likely a slip of the pen, and approval would then not be asked for. */
function warnOfUnknown(config: McpServerConfig, { tools, unusable }: ToolList, log: AgentLog): void {
  const known = new Set([...tools.map(({ name }) => name), ...unusable.map(({ tool }) => tool)]);
  const named = [...(config.allow ?? []), ...(config.approval === true ? [] : config.approval)];
  const unknown = named.filter((name) => !known.has(name));
  if (unknown.length > 0) log.warn({ server: config.name, tools: unknown }, "mcp server has no such tools");
}

const isTool = (made: Tool | UnusableTool): made is Tool => "definition" in made;
const isUnusable = (made: Tool | UnusableTool): made is UnusableTool => !isTool(made);

const longestDescription = 4000;
const longestCallMs = 3_600_000;

/** The tool, or why its schema cannot be used. */
function toTool(config: McpServerConfig, listed: ListedTool, connection: McpConnection): Tool | UnusableTool {
  const { name, title, description, inputSchema } = listed;
  const clean = (text: string) => withoutSecrets(text, config.secrets);
  const cleanError = (error: unknown): never => {
    throw error instanceof ToolError ? new ToolError(clean(error.message), { cause: error }) : error;
  };
  try {
    return defineTool({
      name: mcpToolName(config.name, name),
      description: firstCharacters(description ?? title ?? name, longestDescription),
      parameters: inputSchema,
      timeoutMs: config.timeoutMs,
      needsApproval: config.approval === true || config.approval.includes(name),
      run: async (args, { signal }) => {
        const limits = { signal, timeoutMs: longestCallMs };
        const result = await connection.call({ name, inputSchema }, args as ToolArguments, limits).catch(cleanError);
        if (result.isError) throw new ToolError(clean(result.text));
        return clean(result.text);
      },
    });
  } catch (error) {
    return { tool: name, reason: error instanceof Error ? error.message : "unknown" };
  }
}
