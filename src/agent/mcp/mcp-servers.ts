import { createHash } from "node:crypto";
import type { FetchLike, Tool as ListedTool } from "@modelcontextprotocol/client";
import { withTimeoutOrNull } from "../../base/deadline.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import { truncateText } from "../../base/text.ts";
import { redactSecrets } from "../../base/redact-secrets.ts";
import type { AgentLog } from "../tools/agent-log.ts";
import { toArgumentName, toolNamePattern, toToolName } from "../messages/tool-name.ts";
import { defineTool, ToolError, type Tool, type ToolArguments } from "../tools/tool.ts";
import type { McpConfig, McpServerConfig } from "./mcp-config.ts";
import { createMcpConnection, type ConnectionOptions, type McpConnection } from "./mcp-connection.ts";
import type { ToolList } from "./mcp-client.ts";
import { mostPages, type UnusableTool } from "./tool-list.ts";
import { openToolPins, type RefusedTool, type ToolPins } from "./tool-pins.ts";

export interface McpOptions {
  readonly log: AgentLog;
  /** Opens the connections to servers with a url. Responses must stream. Without it such servers cannot be reached. */
  readonly fetch?: FetchLike | undefined;
  /** Milliseconds that the start waits for slow servers; they join later. */
  readonly startWaitMs?: number;
  readonly connectTimeoutMs?: number;
  readonly reconnect?: { readonly firstMs: number; readonly maxMs: number };
  readonly random?: () => number;
  readonly now?: () => number;
}

/** The MCP servers of this process. */
export interface McpServers {
  /** The tools usable right now. Call it for every run. */
  tools(): readonly Tool[];
  status(): readonly McpServerStatus[];
  /** Closes all connections and ends our child processes. */
  close(): Promise<void>;
}

/**
 * Connects to every server of the operator's list. A server that is down does not stop the start: connecting is retried with growing
 * pauses. Rejects only when the file of pins cannot be used.
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
  await withTimeoutOrNull(Promise.all(servers.map((server) => server.start())), startWaitMs);

  return {
    tools: () => servers.flatMap((server) => server.tools()),
    status: () => servers.map((server) => server.status()),
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

interface McpServerStatus {
  readonly name: string;
  readonly kind: McpServerConfig["kind"];
  readonly connected: boolean;
  readonly protocol_version: string | null;
  readonly pid: number | null;
  readonly tools: readonly string[];
  /** Tools that differ from their pin. */
  readonly refused: readonly RefusedTool[];
  /** Tools that the agent cannot offer, with reasons. */
  readonly unusable: readonly UnusableTool[];
}

/** One server of the operator's list with its tools. */
interface ConnectedServer extends Pick<McpConnection, "start" | "close"> {
  /** Also while the server is disconnected: a call reconnects or fails with the reason. */
  tools(): readonly Tool[];
  status(): McpServerStatus;
}

interface ConnectedServerOptions extends Omit<ConnectionOptions, "onTools"> {
  readonly pins: ToolPins;
  readonly fetch: FetchLike | undefined;
}

function createConnectedServer(config: McpServerConfig, { pins, ...options }: ConnectedServerOptions): ConnectedServer {
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

/** Names in the file without a tool are probably typos: their approval would not be asked for. */
function namesWithoutTool(config: McpServerConfig, { tools, unusable }: ToolList): readonly string[] {
  const known = new Set([...tools.map(({ name }) => name), ...unusable.map(({ tool }) => tool)]);
  const named = [...(config.allow ?? []), ...(config.approval === true ? [] : config.approval)];
  return named.filter((name) => !known.has(name));
}

const isTool = (made: Tool | UnusableTool): made is Tool => "definition" in made;
const isUnusable = (made: Tool | UnusableTool): made is UnusableTool => !isTool(made);

const longestDescription = 4000;
const longestCallMs = 3_600_000;

/** The tool, or the reason why its schema cannot be used. */
function toTool(config: McpServerConfig, listed: ListedTool, connection: McpConnection): Tool | UnusableTool {
  const { name, title, description, inputSchema, annotations } = listed;
  const clean = (text: string) => redactSecrets(text, config.secrets);
  const { schema, toServer } = renameArguments(inputSchema);
  try {
    return defineTool({
      name: mcpToolName(config.name, name),
      description: truncateText(clean(description ?? title ?? name), longestDescription),
      parameters: schema,
      timeoutMs: config.timeoutMs,
      needsApproval: config.approval === true || config.approval.includes(name),
      idempotent: annotations?.readOnlyHint === true || annotations?.idempotentHint === true,
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

/** `server__tool`, in a form that providers accept. A changed name gets a hash, so that names stay unique. */
export function mcpToolName(server: string, tool: string): string {
  const name = `${server}__${tool}`;
  if (toolNamePattern.test(name)) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${toToolName(name).slice(0, longestName - hash.length - 1)}_${hash}`;
}

/** Problems with the tools of one server, for the operator. */
interface ToolProblems {
  readonly refused: readonly RefusedTool[];
  readonly unusable: readonly UnusableTool[];
  /** Names in the file without a tool on the server. */
  readonly missing: readonly string[];
  /** The list of tools was longer than we read. */
  readonly isCut: boolean;
}

/** Logs new problems only, because tools are listed again and again. */
function createToolWarnings({
  server,
  advice,
  log,
}: {
  server: string;
  /** How to accept a refused tool. */
  advice: string;
  log: AgentLog;
}): (problems: ToolProblems) => void {
  let logged: ToolProblems = { refused: [], unusable: [], missing: [], isCut: false };

  return (now) => {
    for (const tool of newProblems(now.refused, logged.refused))
      log.warn({ server, ...tool, advice }, "mcp tool refused: it differs from its pin");
    for (const tool of newProblems(now.unusable, logged.unusable))
      log.warn({ server, ...tool }, "mcp tool cannot be used");
    const tools = now.missing.filter((name) => !logged.missing.includes(name));
    if (tools.length > 0) log.warn({ server, tools }, "mcp server does not have these tools");
    if (now.isCut && !logged.isCut)
      log.warn({ server, pages: mostPages }, "mcp tool list is too long: the rest is not read");
    logged = now;
  };
}

function newProblems<Problem extends RefusedTool | UnusableTool>(
  now: readonly Problem[],
  logged: readonly Problem[],
): readonly Problem[] {
  return now.filter(({ tool, reason }) => !logged.some((known) => known.tool === tool && known.reason === reason));
}

interface NamedArguments {
  /** The schema offered to the model. */
  readonly schema: JsonRecord;
  /** The arguments under the server's own names. */
  toServer(args: ToolArguments): ToolArguments;
}

/** Gives arguments names that every provider accepts: Anthropic refuses a request with all its tools for one argument named `$top`. */
export function renameArguments(schema: JsonRecord): NamedArguments {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const offered = chooseNames(Object.keys(properties));
  if ([...offered].every(([name, other]) => name === other)) return { schema, toServer: (args) => args };
  const toOffered = (name: string) => offered.get(name) ?? name;
  const original = new Map([...offered].map(([name, other]) => [other, name]));
  const { required } = schema;
  return {
    schema: {
      ...schema,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [
          toOffered(name),
          describeServer(name, property, toOffered(name)),
        ]),
      ),
      ...(Array.isArray(required) && { required: required.map(String).map(toOffered) }),
    },
    toServer: (args) =>
      Object.fromEntries(Object.entries(args).map(([name, value]) => [original.get(name) ?? name, value])),
  };
}

/** The server's name of each argument → the model's. */
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

function describeServer(name: string, property: unknown, offered: string): unknown {
  return offered !== name && isRecord(property) ? { description: name, ...property } : property;
}
