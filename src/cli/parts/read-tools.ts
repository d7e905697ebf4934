import { readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import type { AgentLog } from "../../agent/tools/agent-log.ts";
import { ConfigError } from "../../agent/tools/operator-config.ts";
import { createKnowledgeIndex } from "../../agent/knowledge/knowledge-index.ts";
import type { McpConfig } from "../../agent/mcp/mcp-config.ts";
import { parseMcpConfig } from "../../agent/mcp/mcp-config.ts";
import type { Tool } from "../../agent/tools/tool.ts";
import { calculator } from "../../agent/tools/calculator.ts";
import { currentTime } from "../../agent/tools/current-time.ts";
import { searchKnowledge } from "../../agent/knowledge/search-knowledge.ts";
import { webFetch } from "../../agent/tools/web-fetch.ts";
import { problemLine } from "../../models/mapping-file.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import { createPdfReader } from "../../services/agent/pdf-reader.ts";
import type { Settings } from "../../settings.ts";
import { SettingsError } from "../../settings/settings-error.ts";
import { pageFetcher, toolSender } from "./tool-requests.ts";

interface ReadToolsOptions {
  readonly outbound: Outbound;
  /** Hears of documents that cannot be searched. */
  readonly log?: AgentLog;
}

interface ReadTools {
  /** Built in, or declared as HTTP APIs. */
  readonly own: readonly Tool[];
  /** The MCP servers that have more, none of them connected yet. */
  readonly mcp: McpConfig | null;
}

/** The tools that the settings name, with the files that describe them. */
export async function readTools(settings: Settings["agent"], options: ReadToolsOptions): Promise<ReadTools> {
  const { mcpConfig } = settings;
  const builtIn = chooseBuiltIn(settings, options);
  const declared = await declaredTools(settings, { outbound: options.outbound, builtIn });
  return { own: [...builtIn, ...declared], mcp: mcpConfig === null ? null : await readMcpConfig(mcpConfig) };
}

async function readMcpConfig(path: string): Promise<McpConfig> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new SettingsError("AGENT_MCP_CONFIG", `names ${path}, which cannot be read`, { cause });
  });
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
  const { httpTools } = await import("../../agent/http-tools/http-tools.ts");
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
  { outbound, log }: ReadToolsOptions,
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

function documentSearch(folder: string, log: AgentLog | undefined): Tool {
  const index = createKnowledgeIndex({ folder, readPdf: createPdfReader(), ...(log && { log }) });
  return searchKnowledge({ index });
}

/** Better said at the start than by a search that finds nothing, to a model that makes something up. */
function checkFolder(variable: string, path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SettingsError(variable, `names ${path}, which is no folder`);
  }
}
