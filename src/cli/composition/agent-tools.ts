import { compact } from "../../base/compact.ts";
import { readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Logger } from "pino";
import { parse } from "yaml";
import type { SendRequest } from "../../agent/http-tools/http-operation.ts";
import { createKnowledgeIndex } from "../../agent/knowledge/knowledge-index.ts";
import { searchKnowledge } from "../../agent/knowledge/search-knowledge.ts";
import { parseMcpConfig, type McpConfig } from "../../agent/mcp/mcp-config.ts";
import { decodeText } from "../../agent/text/body-text.ts";
import type { AgentLog } from "../../agent/tools/agent-log.ts";
import { calculator } from "../../agent/tools/calculator.ts";
import { currentTime } from "../../agent/tools/current-time.ts";
import { ConfigError } from "../../agent/tools/operator-config.ts";
import type { Tool } from "../../agent/tools/tool.ts";
import { webFetch, type FetchPage } from "../../agent/tools/web-fetch.ts";
import { problemLine } from "../../models/prices/mapping-file.ts";
import { outboundFetch } from "../../models/outbound/outbound-fetch.ts";
import type { Outbound, OutboundFailure } from "../../models/outbound/outbound.ts";
import type { ExplainFailure, FailedResponse } from "../../models/outbound/status-failure.ts";
import { createPdfReader } from "../../services/agent/pdf-reader.ts";
import type { Settings } from "../../settings.ts";
import { SettingsError } from "../../settings/settings-error.ts";

/** The agent's tools. MCP servers add and remove theirs at any time, so each turn asks again. */
interface Toolset extends AsyncDisposable {
  tools(): readonly Tool[];
}

/** The tools that an agent has although no setting names them. Clients of OpenAI's API get them only when they ask. */
export function implicitTools({ tools }: Pick<Settings["agent"], "tools">): ReadonlySet<string> {
  return new Set(tools === null ? ["current_time", "calculator", "web_fetch"] : []);
}

/** Reads the tools from the settings and connects the MCP servers. */
export async function createTools(
  settings: Settings["agent"],
  { outbound, log }: { outbound: Outbound; log: Logger },
): Promise<Toolset> {
  const { own, mcp } = await readAgentTools(settings, { outbound, log });
  if (mcp === null) return { tools: () => own, [Symbol.asyncDispose]: async () => {} };

  // Loaded on demand: the MCP library is the heaviest part of the agent.
  const { connectMcpServers } = await import("../../agent/mcp/mcp-servers.ts");
  // The library keeps the request of an abandoned call open, so requests may not outlast the longest tool call.
  const patienceMs = Math.max(settings.toolTimeoutMs, ...mcp.servers.map(({ timeoutMs = 0 }) => timeoutMs));
  const fetch = outboundFetch(outbound, { policy: "local", patienceMs, listenMs: 24 * 3600 * 1000 });
  const servers = await connectMcpServers(mcp, { log, fetch });
  const unique = withoutDuplicates(log);
  return { tools: () => unique([...own, ...servers.tools()]), [Symbol.asyncDispose]: () => servers.close() };
}

interface ReadToolsOptions {
  readonly outbound: Outbound;
  /** Receives warnings about documents that cannot be searched. */
  readonly log?: AgentLog;
}

interface ReadTools {
  /** Built-in tools and HTTP APIs declared as tools. */
  readonly own: readonly Tool[];
  /** MCP servers with more tools, not yet connected. */
  readonly mcp: McpConfig | null;
}

/** Reads the tools that the settings name, and the files that describe them. */
export async function readAgentTools(settings: Settings["agent"], options: ReadToolsOptions): Promise<ReadTools> {
  const { mcpConfig } = settings;
  const builtIn = chooseBuiltIn(settings, options);
  const declared = await configuredTools(settings, { outbound: options.outbound, builtIn });
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

/** Reads HTTP APIs that the operator declared as tools in a file. */
async function configuredTools(
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
    refuseTakenNames(declared, builtIn);
    return declared;
  } catch (cause) {
    throw new SettingsError("AGENT_HTTP_TOOLS", `names ${path}: ${problemLine(cause as Error)}`, { cause });
  }
}

function refuseTakenNames(declared: readonly Tool[], builtIn: readonly Tool[]): void {
  const taken = new Set(builtIn.map(({ definition }) => definition.name));
  const double = declared.find(({ definition }) => taken.has(definition.name));
  if (!double) return;
  throw new ConfigError(
    `"${double.definition.name}" is the name of a built-in tool: choose another, or list those you want in AGENT_TOOLS without it.`,
  );
}

/**
 * The built-in tools that AGENT_TOOLS names, by default all. With a knowledge folder, `web_fetch` is only included when it
 * is named: together they could send private text outside.
 */
function chooseBuiltIn(
  { tools, knowledgeDir, fetchBytes, toolResultBytes }: Settings["agent"],
  { outbound, log }: ReadToolsOptions,
): readonly Tool[] {
  if (knowledgeDir !== null) checkKnowledgeFolder("AGENT_KNOWLEDGE_DIR", knowledgeDir);
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
  const index = createKnowledgeIndex(compact({ folder, readPdf: createPdfReader(), log }));
  return searchKnowledge({ index });
}

/** Checked at the start: a search in a missing folder finds nothing, and the model would make something up. */
function checkKnowledgeFolder(variable: string, path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SettingsError(variable, `names ${path}, which is not a folder`);
  }
}

/**
 * Leaves out tools whose name is taken, and logs each once. The name of an MCP tool is joined from two parts, so it can
 * collide with another, and the list changes at run time.
 */
function withoutDuplicates(log: Logger): (tools: readonly Tool[]) => readonly Tool[] {
  const logged = new Set<string>();
  return (tools) => {
    const seen = new Set<string>();
    return tools.filter(({ definition: { name } }) => {
      const isFirst = !seen.has(name);
      seen.add(name);
      if (isFirst) return true;
      if (!logged.has(name)) log.warn({ tool: name }, "mcp tool left out: another tool has its name");
      logged.add(name);
      return false;
    });
  };
}

/** Fetches pages for `web_fetch`, from public addresses only, regardless of the policy for models. */
export function pageFetcher(outbound: Outbound): FetchPage {
  return async (url, { signal, maxBytes }) => {
    const failure = keepFailure();
    const headers = { accept: "text/html, text/plain, application/json;q=0.9, */*;q=0.1" };
    const result = await outbound.request({
      url,
      method: "GET",
      headers,
      policy: "public",
      signal,
      maxReplyBytes: maxBytes,
      decodeBody: decodeText,
      retries: 0,
      explainFailure: failure.keep,
    });
    if (!result.ok) {
      const response = failure.of(result);
      return response
        ? { ...response, url }
        : { ok: false, reason: result.error.detail, redirect_to: result.redirect_to };
    }
    const content_type = String(result.headers["content-type"] ?? "");
    return { ok: true, url, status: result.status, content_type, text: result.body };
  };
}

/** Longer than any tool may take: the time limit of the tool itself ends its request. */
const patienceMs = 3_600_000;

/** A longer Retry-After is returned to the model at once: the tool's time could end first and look like no response. */
const longestWaitMs = 5000;

/** Sends the requests of the operator's HTTP tools, with the headers from their file. */
export function toolSender(outbound: Outbound): SendRequest {
  return async ({ method, url, headers, body, idempotent, maxBytes, signal }) => {
    const failure = keepFailure();
    const result = await outbound.request(
      compact({
        url,
        method,
        headers,
        body,
        idempotent,
        maxReplyBytes: maxBytes,
        signal,
        patienceMs,
        longestWaitMs,
        breakerKey: "tools",
        explainFailure: failure.keep,
      }),
    );
    if (!result.ok) return failure.of(result) ?? { ok: false, reason: result.error.detail };
    const content_type = String(result.headers["content-type"] ?? "");
    return { ok: true, status: result.status, content_type, text: result.body };
  };
}

/** Keeps the body of a failed response for the model; the outbound client reports only the status. */
function keepFailure() {
  let last: FailedResponse | null = null;
  const keep: ExplainFailure = (response) => {
    last = response;
    return null;
  };
  // A later try may have failed without a response.
  const of = ({ error }: OutboundFailure) =>
    last && last.status === error.upstream_status
      ? { ok: true as const, status: last.status, content_type: last.contentType, text: last.body }
      : null;
  return { keep, of };
}
