import type { FetchLike, Tool as ListedTool } from "@modelcontextprotocol/client";
import { truncateText } from "../../base/text.ts";
import { defineTool, ToolError, type Tool, type ToolArguments } from "../tools/tool.ts";
import { fromTextResult } from "./call-result.ts";
import { openClient } from "./mcp-client.ts";

/** The tools of a test world, for one turn. */
export interface WorldTools {
  readonly tools: readonly Tool[];
  close(): Promise<void>;
}

const connectMs = 10_000;
const longestCallMs = 3_600_000;
const longestDescription = 4_000;

/** Connects to the world at this address, which the caller has checked. Rejects when it cannot be reached. */
export async function openWorldTools(
  url: string,
  { fetch, signal }: { fetch: FetchLike; signal: AbortSignal },
): Promise<WorldTools> {
  const server = {
    kind: "http",
    name: "world",
    url,
    headers: {},
    isOlder: false,
    allow: null,
    approval: [],
    timeoutMs: undefined,
    secrets: [],
  } as const;
  const ignore = (): void => {};
  const opened = await openClient(server, {
    fetch,
    signal,
    timeoutMs: connectMs,
    prior: null,
    onToolsChanged: ignore,
    onClose: ignore,
    onMessage: ignore,
  });

  function toTool({ name, title, description, inputSchema }: ListedTool): Tool {
    return defineTool({
      name,
      description: truncateText(description ?? title ?? name, longestDescription),
      parameters: inputSchema,
      run: async (args, context) => {
        const call = { name, arguments: { ...(args as ToolArguments) } };
        const limits = { signal: context.signal, timeout: longestCallMs };
        const toolDefinition = { name, inputSchema };
        const result = fromTextResult(await opened.client.callTool(call, { ...limits, toolDefinition }));
        if (result.isError) throw new ToolError(result.text);
        return result.text;
      },
    });
  }

  try {
    const { tools } = await opened.listTools();
    return { tools: tools.map(toTool), close: () => opened.close().catch(ignore) };
  } catch (error) {
    await opened.close().catch(ignore);
    throw error;
  }
}
