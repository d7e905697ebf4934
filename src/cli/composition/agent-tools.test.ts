import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { everythingServer, startRawServer } from "../../../test/mcp/mcp-test-kit.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createOutbound } from "../../models/outbound/create-outbound.ts";
import { createLog } from "../../services/http/log.ts";
import { readSettings } from "../../settings.ts";
import { after } from "../../../test/support/fake-provider/behaviour.ts";
import { rateLimited } from "../../../test/support/fake-provider/error-statuses.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { json } from "../../../test/support/fake-provider/replies.ts";
import { createTools, pageFetcher, toolSender } from "./agent-tools.ts";

const silent = createLog({ level: "silent" });

async function namesWith(variables: Record<string, string>, log = silent): Promise<string[]> {
  await using outbound = createOutbound();
  const { settings } = readSettings(variables);
  await using toolset = await createTools(settings.agent, { outbound, log });
  // Each turn calls it once.
  toolset.tools();
  return toolset.tools().map(({ definition }) => definition.name);
}

test("includes web_fetch beside a knowledge folder only when it is named", async () => {
  const folder = { AGENT_KNOWLEDGE_DIR: import.meta.dirname };
  expect(await namesWith({})).toEqual(["current_time", "calculator", "web_fetch"]);
  expect(await namesWith(folder)).toEqual(["current_time", "calculator", "search_knowledge"]);
  const named = { ...folder, AGENT_TOOLS: "search_knowledge,web_fetch" };
  expect(await namesWith(named)).toEqual(["search_knowledge", "web_fetch"]);
});

test("includes a tool once that AGENT_TOOLS names twice", async () => {
  expect(await namesWith({ AGENT_TOOLS: "calculator,current_time,calculator" })).toEqual([
    "calculator",
    "current_time",
  ]);
});

const httpTool = (name: string) => JSON.stringify({ tools: [{ name, description: "x", url: "https://a.example/" }] });

test("refuses an HTTP tool with the name of a built-in tool that is in use", async () => {
  await using folder = await temporaryFolder();
  const AGENT_HTTP_TOOLS = folder.file("tools.json");
  await writeFile(AGENT_HTTP_TOOLS, httpTool("calculator"));
  await expect(namesWith({ AGENT_HTTP_TOOLS })).rejects.toThrow('"calculator" is the name of a built-in tool');
  const names = await namesWith({ AGENT_HTTP_TOOLS, AGENT_TOOLS: "current_time" });
  expect(names).toEqual(["current_time", "calculator"]);
});

test("reports an error in the file of HTTP tools as one line without quoting it", async () => {
  await using folder = await temporaryFolder();
  const AGENT_HTTP_TOOLS = folder.file("tools.yaml");
  await writeFile(AGENT_HTTP_TOOLS, 'tools:\n  - name: a\n   headers: { authorization: "Bearer canary" }\n');
  await expect(namesWith({ AGENT_HTTP_TOOLS })).rejects.toThrow(
    /^AGENT_HTTP_TOOLS names .*tools\.yaml: Sequence item without - indicator at line 3, column 1$/,
  );
});

test("accepts merge keys in the file of HTTP tools", async () => {
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

test("leaves out an MCP tool whose name is taken, and logs that once", async () => {
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

test("gives an MCP call the server's own timeout, not that of a model endpoint", async () => {
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
  const { settings } = readSettings({ AGENT_MCP_CONFIG }, { limits: { agent_tool_timeout_ms: 100 } });
  await using toolset = await createTools(settings.agent, { outbound, log: silent });
  const tool = toolset.tools().find(({ definition }) => definition.name === "test__slow");
  const context = { signal: new AbortController().signal, now: Date.now };
  expect(await tool?.run({}, context)).toBe("At last.");
});

const { signal } = new AbortController();
const request = { method: "GET", headers: {}, idempotent: true, maxBytes: 1000, signal } as const;

test.each([401, 404, 422, 500])("returns the body of a %i response to the model", async (status) => {
  await using service = await startFakeProvider({ behaviour: json({ error: "order 17 was already shipped" }, status) });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const answer = await toolSender(outbound)({ ...request, url: `${service.origin}/orders/17` });
  expect(answer).toMatchObject({ ok: true, status, text: '{"error":"order 17 was already shipped"}' });
});

test("returns the reason when there is no response", async () => {
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const answer = await toolSender(outbound)({ ...request, url: "http://127.0.0.1:1/" });
  expect(answer).toMatchObject({ ok: false, reason: expect.any(String) });
  const page = await pageFetcher(outbound)("http://127.0.0.1:1/", { signal, maxBytes: 1000 });
  expect(page).toMatchObject({ ok: false, reason: expect.any(String) });
});

test("gives a slow service the tool's own timeout, not that of a model endpoint", async () => {
  await using service = await startFakeProvider({ behaviour: after(150, json({ done: true })) });
  await using outbound = createOutbound({ timeouts: { firstByteMs: 50, idleMs: 50, totalMs: 100 } });
  const answer = await toolSender(outbound)({ ...request, url: service.origin });
  expect(answer).toMatchObject({ ok: true, text: '{"done":true}' });
});

test.each([
  ["2", [2000]],
  ["20", []],
])("a Retry-After of %s s makes it wait for %j ms", async (seconds, expected) => {
  const script = [rateLimited({ "retry-after": seconds })];
  await using service = await startFakeProvider({ script, behaviour: json({ done: true }) });
  const waits: number[] = [];
  await using outbound = createOutbound({ sleep: async (milliseconds) => void waits.push(milliseconds) });
  const answer = await toolSender(outbound)({ ...request, url: service.origin });
  expect(answer).toMatchObject({ ok: true, status: expected.length > 0 ? 200 : 429 });
  expect(waits).toEqual(expected);
});

test("accepts a long text in the query of a request", async () => {
  await using service = await startFakeProvider({ behaviour: json({ done: true }) });
  await using outbound = createOutbound();
  const url = `${service.origin}/search?q=${encodeURIComponent("配送はいつですか".repeat(80))}`;
  expect(await toolSender(outbound)({ ...request, url })).toMatchObject({ ok: true });
});
