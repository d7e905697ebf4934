import { createHash } from "node:crypto";
import type { FetchLike, Tool as ListedTool } from "@modelcontextprotocol/client";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import { firstCharacters } from "../../base/text.ts";
import type { AgentLog } from "../agent-log.ts";
import { toArgumentName } from "../argument-name.ts";
import { withoutSecrets } from "../text/without-secrets.ts";
import { toolNamePattern, toToolName } from "../tool-name.ts";
import { defineTool, ToolError, type Tool, type ToolArguments } from "../tool.ts";
import type { UnusableTool } from "./listed-tool.ts";
import type { McpServerConfig } from "./mcp-config.ts";
import { createMcpConnection, type ConnectionOptions, type McpConnection } from "./mcp-connection.ts";
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

const longestName = 64;

/** `server__tool`, as providers accept it. A name that must be changed gets a hash, so that no two become one. */
export function mcpToolName(server: string, tool: string): string {
  const name = `${server}__${tool}`;
  if (toolNamePattern.test(name)) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${toToolName(name).slice(0, longestName - hash.length - 1)}_${hash}`;
}

/** What is not as the operator would wish with the tools of one server. */
interface ToolTroubles {
  readonly refused: readonly RefusedTool[];
  readonly unusable: readonly UnusableTool[];
  /** Names in the operator's file that the server has no tool for. */
  readonly missing: readonly string[];
  /** The list of tools went on, and we did not. */
  readonly isCut: boolean;
}

/** Logs what was not there the last time: servers are asked for their tools again and again. */
function createToolWarnings({
  server,
  advice,
  log,
}: {
  server: string;
  /** What to do about a tool that was refused. */
  advice: string;
  log: AgentLog;
}): (troubles: ToolTroubles) => void {
  let said: ToolTroubles = { refused: [], unusable: [], missing: [], isCut: false };

  return (now) => {
    for (const tool of newsOf(now.refused, said.refused))
      log.warn({ server, ...tool, advice }, "mcp tool refused: it is not what was pinned");
    for (const tool of newsOf(now.unusable, said.unusable)) log.warn({ server, ...tool }, "mcp tool cannot be used");
    const tools = now.missing.filter((name) => !said.missing.includes(name));
    if (tools.length > 0) log.warn({ server, tools }, "mcp server has no such tools");
    if (now.isCut && !said.isCut)
      log.warn({ server, pages: mostPages }, "mcp list of tools has no end: its rest is not read");
    said = now;
  };
}

function newsOf<Trouble extends RefusedTool | UnusableTool>(
  now: readonly Trouble[],
  said: readonly Trouble[],
): readonly Trouble[] {
  return now.filter(({ tool, reason }) => !said.some((known) => known.tool === tool && known.reason === reason));
}

interface NamedArguments {
  /** For the model. */
  readonly schema: JsonRecord;
  /** The arguments by the names that the server gave them. */
  toServer(args: ToolArguments): ToolArguments;
}

/** The arguments of a server's tool by names that every provider takes: Anthropic refuses all tools for one that has a `$top`. */
export function nameArguments(schema: JsonRecord): NamedArguments {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const told = chooseNames(Object.keys(properties));
  if ([...told].every(([name, other]) => name === other)) return { schema, toServer: (args) => args };
  const toTold = (name: string) => told.get(name) ?? name;
  const given = new Map([...told].map(([name, other]) => [other, name]));
  const { required } = schema;
  return {
    schema: {
      ...schema,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [toTold(name), describe(name, property, toTold(name))]),
      ),
      ...(Array.isArray(required) && { required: required.map(String).map(toTold) }),
    },
    toServer: (args) =>
      Object.fromEntries(Object.entries(args).map(([name, value]) => [given.get(name) ?? name, value])),
  };
}

/** The server's name of each → the model's. */
function chooseNames(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(names);
  return new Map(
    names.map((name) => {
      let free = toArgumentName(name);
      while (free !== name && taken.has(free)) free += "_";
      taken.add(free);
      return [name, free];
    }),
  );
}

function describe(name: string, property: unknown, told: string): unknown {
  return told !== name && isRecord(property) ? { description: name, ...property } : property;
}
