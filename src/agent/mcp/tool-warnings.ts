import type { AgentLog } from "../agent-log.ts";
import type { UnusableTool } from "./listed-tool.ts";
import { mostPages } from "./tool-list.ts";
import type { RefusedTool } from "./tool-pins.ts";

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
export function createToolWarnings({
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
