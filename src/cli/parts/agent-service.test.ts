import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { everythingServer, startRawServer } from "../../../test/mcp/mcp-test-kit.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createOutbound } from "../../models/outbound/create-outbound.ts";
import { createLog } from "../../services/http/log.ts";
import { readSettings } from "../../settings.ts";
import { createTools } from "./agent-service.ts";

const silent = createLog({ level: "silent" });

async function namesWith(variables: Record<string, string>, log = silent): Promise<string[]> {
  await using outbound = createOutbound();
  const { settings } = readSettings(variables);
  await using toolset = await createTools(settings.agent, { outbound, log });
  // Asked once for each turn.
  toolset.tools();
  return toolset.tools().map(({ definition }) => definition.name);
}

test("web_fetch stands beside a folder of knowledge only where it is named", async () => {
  const folder = { AGENT_KNOWLEDGE_DIR: import.meta.dirname };
  expect(await namesWith({})).toEqual(["current_time", "calculator", "web_fetch"]);
  expect(await namesWith(folder)).toEqual(["current_time", "calculator", "search_knowledge"]);
  const named = { ...folder, AGENT_TOOLS: "search_knowledge,web_fetch" };
  expect(await namesWith(named)).toEqual(["search_knowledge", "web_fetch"]);
});

test("a tool that AGENT_TOOLS names twice is there once", async () => {
  expect(await namesWith({ AGENT_TOOLS: "calculator,current_time,calculator" })).toEqual([
    "calculator",
    "current_time",
  ]);
});

const httpTool = (name: string) => JSON.stringify({ tools: [{ name, description: "x", url: "https://a.example/" }] });

test("an HTTP tool cannot have the name of a built-in one, unless that is not used", async () => {
  await using folder = await temporaryFolder();
  const AGENT_HTTP_TOOLS = folder.file("tools.json");
  await writeFile(AGENT_HTTP_TOOLS, httpTool("calculator"));
  await expect(namesWith({ AGENT_HTTP_TOOLS })).rejects.toThrow('"calculator" is the name of a built-in tool');
  const names = await namesWith({ AGENT_HTTP_TOOLS, AGENT_TOOLS: "current_time" });
  expect(names).toEqual(["current_time", "calculator"]);
});

test("what is wrong with the file of HTTP tools is one line, which quotes nothing of it", async () => {
  await using folder = await temporaryFolder();
  const AGENT_HTTP_TOOLS = folder.file("tools.yaml");
  await writeFile(AGENT_HTTP_TOOLS, 'tools:\n  - name: a\n   headers: { authorization: "Bearer canary" }\n');
  await expect(namesWith({ AGENT_HTTP_TOOLS })).rejects.toThrow(
    /^AGENT_HTTP_TOOLS names .*tools\.yaml: Sequence item without - indicator at line 3, column 1$/,
  );
});

test("the file of HTTP tools may merge what it says elsewhere", async () => {
  await using folder = await temporaryFolder();
  const AGENT_HTTP_TOOLS = folder.file("tools.yaml");
  const text = `
tools:
  - &first { name: first, description: One., url: "https://a.example/" }
  - { <<: *first, name: second }
`;
  await writeFile(AGENT_HTTP_TOOLS, text);
  expect(await namesWith({ AGENT_HTTP_TOOLS, AGENT_TOOLS: "current_time" })).toEqual([
    "current_time",
    "first",
    "second",
  ]);
});

test("an MCP tool whose name is taken is left out, which is said once", async () => {
  await using folder = await temporaryFolder();
  const [AGENT_HTTP_TOOLS, AGENT_MCP_CONFIG] = [folder.file("tools.json"), folder.file("mcp.json")];
  await writeFile(AGENT_HTTP_TOOLS, httpTool("every__echo"));
  const every = { command: process.execPath, args: [everythingServer, "stdio"], allow: ["echo", "get-sum"] };
  await writeFile(AGENT_MCP_CONFIG, JSON.stringify({ mcpServers: { every } }));
  const lines: string[] = [];
  const log = createLog({ level: "warn", write: (line) => void lines.push(line), terminal: false });
  const names = await namesWith({ AGENT_HTTP_TOOLS, AGENT_MCP_CONFIG, AGENT_TOOLS: "current_time" }, log);
  expect(names).toEqual(["current_time", "every__echo", "every__get-sum"]);
  expect(lines.filter((line) => line.includes("another tool has its name"))).toHaveLength(1);
});

test("a call of an MCP server has the time its configuration gives it, not that of a model endpoint", async () => {
  await using folder = await temporaryFolder();
  const url = await startRawServer({
    tools: [{ name: "slow", inputSchema: { type: "object" } }],
    answer: ({ id }, response) => {
      const result = { content: [{ type: "text", text: "At last." }] };
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n\n");
      setTimeout(() => response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`), 300);
      return null;
    },
  });
  const AGENT_MCP_CONFIG = folder.file("mcp.json");
  await writeFile(AGENT_MCP_CONFIG, JSON.stringify({ mcpServers: { test: { url, timeout_ms: 10_000 } } }));
  await using outbound = createOutbound({ timeouts: { idleMs: 100 } });
  const { settings } = readSettings({ AGENT_MCP_CONFIG, REHEARSAL_AGENT_TOOL_TIMEOUT_MS: "100" });
  await using toolset = await createTools(settings.agent, { outbound, log: silent });
  const tool = toolset.tools().find(({ definition }) => definition.name === "test__slow");
  const context = { signal: new AbortController().signal, now: Date.now };
  expect(await tool?.run({}, context)).toBe("At last.");
});
