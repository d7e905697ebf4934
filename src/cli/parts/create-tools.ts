import type { Logger } from "pino";
import type { Tool } from "../../agent/tool.ts";
import { outboundFetch } from "../../models/outbound/outbound-fetch.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import type { Settings } from "../../settings.ts";
import { readTools } from "./read-tools.ts";

/** The agent's tools. Those of MCP servers come and go, so ask for each turn. */
interface Toolset extends AsyncDisposable {
  tools(): readonly Tool[];
}

export async function createTools(
  settings: Settings["agent"],
  { outbound, log }: { outbound: Outbound; log: Logger },
): Promise<Toolset> {
  const { own, mcp } = await readTools(settings, { outbound, log });
  if (mcp === null) return { tools: () => own, [Symbol.asyncDispose]: async () => {} };

  // Loaded only here: the protocol's library is the heaviest part of the agent.
  const { connectMcpServers } = await import("../../agent/mcp/connect-mcp-servers.ts");
  // The library leaves the request of a call it has given up open, so it must not wait for longer than a call may take.
  const patienceMs = Math.max(settings.toolTimeoutMs, ...mcp.servers.map(({ timeoutMs = 0 }) => timeoutMs));
  const fetch = outboundFetch(outbound, { policy: "local", patienceMs, listenMs: 24 * 3600 * 1000 });
  const servers = await connectMcpServers(mcp, { log, fetch });
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
