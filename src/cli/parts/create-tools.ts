import { readFile } from "node:fs/promises";
import type { Logger } from "pino";
import { createKnowledgeIndex } from "../../agent/knowledge/knowledge-index.ts";
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
import { pageFetcher } from "./tool-requests.ts";

/** The agent's tools. Those of MCP servers come and go, so ask for each turn. */
export interface Toolset extends AsyncDisposable {
  tools(): readonly Tool[];
}

export async function createTools(
  settings: Settings["agent"],
  { outbound, log }: { outbound: Outbound; log: Logger },
): Promise<Toolset> {
  const builtIn = chooseBuiltIn(settings, outbound);
  if (settings.mcpConfig === null) return { tools: () => builtIn, [Symbol.asyncDispose]: async () => {} };

  const stop = new AbortController();
  const text = await readFile(settings.mcpConfig, "utf8").catch((cause: unknown) => {
    throw new SettingsError("AGENT_MCP_CONFIG", `names ${settings.mcpConfig}, which cannot be read`, { cause });
  });
  const config = parseMcpConfig(text, { path: settings.mcpConfig, variables: process.env });
  // Loaded only here: the protocol's library is the heaviest part of the agent.
  const { connectMcpServers } = await import("../../agent/mcp/connect-mcp-servers.ts");
  const fetch = outboundFetch(outbound, { policy: "local" });
  const servers = await connectMcpServers(config, { log, signal: stop.signal, fetch });
  return { tools: () => [...builtIn, ...servers.tools()], [Symbol.asyncDispose]: () => servers.close() };
}

/**
 * Every built-in tool that is set up, or those AGENT_TOOLS names. `web_fetch` is left out where there is a folder of
 * knowledge unless it is named: together they could carry private text outside.
 */
function chooseBuiltIn({ tools, knowledgeDir, fetchBytes }: Settings["agent"], outbound: Outbound): readonly Tool[] {
  const fetcher = webFetch({ fetchPage: pageFetcher(outbound), maxBytes: fetchBytes });
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
