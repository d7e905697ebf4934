import { readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Logger } from "pino";
import { parse } from "yaml";
import { ConfigError } from "../../agent/config-error.ts";
import { createPdfReader } from "../../services/agent/pdf-reader.ts";
import { createKnowledgeIndex } from "../../agent/knowledge/knowledge-index.ts";
import type { McpConfig } from "../../agent/mcp/mcp-config.ts";
import { parseMcpConfig } from "../../agent/mcp/parse-config.ts";
import type { Tool } from "../../agent/tool.ts";
import { calculator } from "../../agent/tools/calculator.ts";
import { currentTime } from "../../agent/tools/current-time.ts";
import { searchKnowledge } from "../../agent/tools/search-knowledge.ts";
import { webFetch } from "../../agent/tools/web-fetch.ts";
import { problemLine } from "../../models/mapping-file.ts";
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
  const builtIn = chooseBuiltIn(settings, { outbound, log });
  const own = [...builtIn, ...(await declaredTools(settings, { outbound, builtIn }))];
  if (settings.mcpConfig === null) return { tools: () => own, [Symbol.asyncDispose]: async () => {} };

  const text = await readFile(settings.mcpConfig, "utf8").catch((cause: unknown) => {
    throw new SettingsError("AGENT_MCP_CONFIG", `names ${settings.mcpConfig}, which cannot be read`, { cause });
  });
  const config = readMcpConfig(text, settings.mcpConfig);
  // Loaded only here: the protocol's library is the heaviest part of the agent.
  const { connectMcpServers } = await import("../../agent/mcp/connect-mcp-servers.ts");
  // The library leaves the request of a call it has given up open, so it must not wait for longer than a call may take.
  const patienceMs = Math.max(settings.toolTimeoutMs, ...config.servers.map(({ timeoutMs = 0 }) => timeoutMs));
  const fetch = outboundFetch(outbound, { policy: "local", patienceMs, listenMs: 24 * 3600 * 1000 });
  const servers = await connectMcpServers(config, { log, fetch });
  const together = firstOfEachName(log);
  return { tools: () => together([...own, ...servers.tools()]), [Symbol.asyncDispose]: () => servers.close() };
}

/**
 * An MCP tool's name is put together from two, so it can come out as one that is taken. The list changes while we run: such
 * a tool is left out, and said once.
 */
function firstOfEachName(log: Logger): (tools: readonly Tool[]) => readonly Tool[] {
  const told = new Set<string>();
  return (tools) => {
    const seen = new Set<string>();
    return tools.filter(({ definition: { name } }) => {
      const isFirst = !seen.has(name);
      seen.add(name);
      if (isFirst) return true;
      if (!told.has(name)) log.warn({ tool: name }, "mcp tool left out: another tool has its name");
      told.add(name);
      return false;
    });
  };
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
async function declaredTools(
  { httpTools: path }: Settings["agent"],
  { outbound, builtIn }: { outbound: Outbound; builtIn: readonly Tool[] },
): Promise<readonly Tool[]> {
  if (path === null) return [];
  const { httpTools } = await import("../../agent/tools/http-tools.ts");
  try {
    const beside = (name: string): string => resolve(dirname(path), name);
    const declared = httpTools(parse(readFileSync(path, "utf8"), { merge: true }), {
      variables: process.env,
      readDocument: (name) => readFileSync(beside(name), "utf8"),
      send: toolSender(outbound),
    });
    refuseTaken(declared, builtIn);
    return declared;
  } catch (cause) {
    throw new SettingsError("AGENT_HTTP_TOOLS", `names ${path}: ${problemLine(cause as Error)}`, { cause });
  }
}

function refuseTaken(declared: readonly Tool[], builtIn: readonly Tool[]): void {
  const taken = new Set(builtIn.map(({ definition }) => definition.name));
  const double = declared.find(({ definition }) => taken.has(definition.name));
  if (!double) return;
  throw new ConfigError(
    `"${double.definition.name}" is the name of a built-in tool: choose another, or list those you want in AGENT_TOOLS without it.`,
  );
}

/**
 * Every built-in tool that is set up, or those AGENT_TOOLS names. `web_fetch` is left out where there is a folder of
 * knowledge unless it is named: together they could carry private text outside.
 */
function chooseBuiltIn(
  { tools, knowledgeDir, fetchBytes, toolResultBytes }: Settings["agent"],
  { outbound, log }: { outbound: Outbound; log: Logger },
): readonly Tool[] {
  if (knowledgeDir !== null) checkFolder("AGENT_KNOWLEDGE_DIR", knowledgeDir);
  const fetchPage = pageFetcher(outbound);
  const fetcher = webFetch({ fetchPage, maxBytes: fetchBytes, resultBytes: toolResultBytes });
  const knowledge = knowledgeDir === null ? [] : [documentSearch(knowledgeDir, log)];
  const available = [currentTime(), calculator(), fetcher, ...knowledge];
  if (tools === null) return knowledge.length > 0 ? available.filter((tool) => tool !== fetcher) : available;

  const byName = new Map(available.map((tool) => [tool.definition.name, tool]));
  return [...new Set(tools)].map((name) => {
    const tool = byName.get(name);
    if (tool) return tool;
    throw new SettingsError("AGENT_TOOLS", `names "${name}": there are ${[...byName.keys()].join(", ")}`);
  });
}

function documentSearch(folder: string, log: Logger): Tool {
  return searchKnowledge({ index: createKnowledgeIndex({ folder, log, readPdf: createPdfReader() }) });
}

/** Better said at the start than by a search that finds nothing, to a model that makes something up. */
function checkFolder(variable: string, path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SettingsError(variable, `names ${path}, which is no folder`);
  }
}
