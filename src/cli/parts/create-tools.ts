import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Logger } from "pino";
import { parse } from "yaml";
import { createKnowledgeIndex } from "../../agent/knowledge/knowledge-index.ts";
import type { McpConfig } from "../../agent/mcp/mcp-config.ts";
import { parseMcpConfig } from "../../agent/mcp/parse-config.ts";
import type { Tool } from "../../agent/tool.ts";
import { calculator } from "../../agent/tools/calculator.ts";
import { currentTime } from "../../agent/tools/current-time.ts";
import { searchKnowledge } from "../../agent/tools/search-knowledge.ts";
import { webFetch } from "../../agent/tools/web-fetch.ts";
import { outboundFetch } from "../../models/outbound/outbound-fetch.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import type { Settings } from "../../settings.ts";
import { SettingsError } from "../../settings/settings-error.ts";
import { pageFetcher, toolSender } from "./tool-requests.ts";

/** The agent's tools. Those of MCP servers come and go, so ask for each turn. */
export interface Toolset extends AsyncDisposable {
  tools(): readonly Tool[];
}

export async function createTools(
  settings: Settings["agent"],
  { outbound, log }: { outbound: Outbound; log: Logger },
): Promise<Toolset> {
  const builtIn = [...chooseBuiltIn(settings, outbound), ...(await declaredTools(settings, outbound))];
  if (settings.mcpConfig === null) return { tools: () => builtIn, [Symbol.asyncDispose]: async () => {} };

  const stop = new AbortController();
  const text = await readFile(settings.mcpConfig, "utf8").catch((cause: unknown) => {
    throw new SettingsError("AGENT_MCP_CONFIG", `names ${settings.mcpConfig}, which cannot be read`, { cause });
  });
  const config = readMcpConfig(text, settings.mcpConfig);
  // Loaded only here: the protocol's library is the heaviest part of the agent.
  const { connectMcpServers } = await import("../../agent/mcp/connect-mcp-servers.ts");
  const fetch = outboundFetch(outbound, { policy: "local" });
  const servers = await connectMcpServers(config, { log, signal: stop.signal, fetch });
  return { tools: () => [...builtIn, ...servers.tools()], [Symbol.asyncDispose]: () => servers.close() };
}

function readMcpConfig(text: string, path: string): McpConfig {
  try {
    return parseMcpConfig(text, { path, variables: process.env });
  } catch (cause) {
    throw new SettingsError("AGENT_MCP_CONFIG", `names a file that is not usable: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** HTTP APIs the operator declared as tools. Their own file says what they are and which headers they send. */
async function declaredTools({ httpTools: path }: Settings["agent"], outbound: Outbound): Promise<readonly Tool[]> {
  if (path === null) return [];
  const { httpTools } = await import("../../agent/tools/http-tools.ts");
  try {
    const beside = (name: string): string => resolve(dirname(path), name);
    return httpTools(parse(readFileSync(path, "utf8")), {
      variables: process.env,
      readDocument: (name) => readFileSync(beside(name), "utf8"),
      send: toolSender(outbound),
    });
  } catch (cause) {
    throw new SettingsError("AGENT_HTTP_TOOLS", `names ${path}: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Every built-in tool that is set up, or those AGENT_TOOLS names. `web_fetch` is left out where there is a folder of
 * knowledge unless it is named: together they could carry private text outside.
 */
function chooseBuiltIn(
  { tools, knowledgeDir, fetchBytes, toolResultBytes }: Settings["agent"],
  outbound: Outbound,
): readonly Tool[] {
  const fetchPage = pageFetcher(outbound);
  const fetcher = webFetch({ fetchPage, maxBytes: fetchBytes, resultBytes: toolResultBytes });
  const knowledge =
    knowledgeDir === null ? [] : [searchKnowledge({ index: createKnowledgeIndex({ folder: knowledgeDir }) })];
  const available = [currentTime(), calculator(), fetcher, ...knowledge];
  if (tools === null) return knowledge.length > 0 ? available.filter((tool) => tool !== fetcher) : available;

  const byName = new Map(available.map((tool) => [tool.definition.name, tool]));
  return tools.map((name) => {
    const tool = byName.get(name);
    if (tool) return tool;
    throw new SettingsError("AGENT_TOOLS", `names "${name}": there are ${[...byName.keys()].join(", ")}`);
  });
}
