import type { FetchLike, Tool as ListedTool } from "@modelcontextprotocol/client";
import { firstCharacters } from "../../base/text.ts";
import { withoutSecrets } from "../text/without-secrets.ts";
import { defineTool, ToolError, type Tool, type ToolArguments } from "../tool.ts";
import { nameArguments } from "./argument-names.ts";
import type { UnusableTool } from "./listed-tool.ts";
import { createMcpConnection, type ConnectionOptions, type McpConnection } from "./mcp-connection.ts";
import type { McpServerConfig } from "./mcp-config.ts";
import { mcpToolName } from "./mcp-tool-name.ts";
import type { ToolList } from "./open-client.ts";
import type { RefusedTool, ToolPins } from "./tool-pins.ts";
import { createToolWarnings } from "./tool-warnings.ts";

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
interface ConnectedServer extends Pick<McpConnection, "start" | "close"> {
  /** Also while the server is away: a call brings it back or says that it is gone. */
  tools(): readonly Tool[];
  status(): McpServerStatus;
}

interface ConnectedServerOptions extends Omit<ConnectionOptions, "onTools"> {
  readonly pins: ToolPins;
  readonly fetch: FetchLike | undefined;
}

export function createConnectedServer(
  config: McpServerConfig,
  { pins, ...options }: ConnectedServerOptions,
): ConnectedServer {
  let tools: readonly Tool[] = [];
  let refused: readonly RefusedTool[] = [];
  let unusable: readonly UnusableTool[] = [];
  const isAllowed = (name: string) => config.allow?.includes(name) ?? true;
  const advice = `to accept it, ${pins.howToAccept(config.name)}`;
  const warn = createToolWarnings({ server: config.name, advice, log: options.log });

  const connection = createMcpConnection(config, {
    ...options,
    onTools: async (list) => {
      const checked = await pins.check(config.name, list.tools);
      const allowed = checked.accepted.filter(({ name }) => isAllowed(name));
      const made = allowed.map((tool) => toTool(config, tool, connection));
      tools = made.filter(isTool);
      refused = checked.refused;
      unusable = [...list.unusable.filter(({ tool }) => isAllowed(tool)), ...made.filter(isUnusable)];
      warn({ refused, unusable, missing: namesWithoutTool(config, list), isCut: list.isCut });
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

/** A name that the server does not have is most likely a slip of the pen, and approval would then not be asked for. */
function namesWithoutTool(config: McpServerConfig, { tools, unusable }: ToolList): readonly string[] {
  const known = new Set([...tools.map(({ name }) => name), ...unusable.map(({ tool }) => tool)]);
  const named = [...(config.allow ?? []), ...(config.approval === true ? [] : config.approval)];
  return named.filter((name) => !known.has(name));
}

const isTool = (made: Tool | UnusableTool): made is Tool => "definition" in made;
const isUnusable = (made: Tool | UnusableTool): made is UnusableTool => !isTool(made);

const longestDescription = 4000;
const longestCallMs = 3_600_000;

/** The tool, or why its schema cannot be used. */
function toTool(config: McpServerConfig, listed: ListedTool, connection: McpConnection): Tool | UnusableTool {
  const { name, title, description, inputSchema } = listed;
  const clean = (text: string) => withoutSecrets(text, config.secrets);
  const { schema, toServer } = nameArguments(inputSchema);
  try {
    return defineTool({
      name: mcpToolName(config.name, name),
      description: firstCharacters(clean(description ?? title ?? name), longestDescription),
      parameters: schema,
      timeoutMs: config.timeoutMs,
      needsApproval: config.approval === true || config.approval.includes(name),
      run: async (args, { signal }) => {
        const limits = { signal, timeoutMs: longestCallMs };
        const sent = toServer(args as ToolArguments);
        const result = await connection.call({ name, inputSchema }, sent, limits);
        if (result.isError) throw new ToolError(clean(result.text));
        return clean(result.text);
      },
    });
  } catch (error) {
    return { tool: name, reason: error instanceof Error ? error.message : "unknown" };
  }
}
