import { createServer, type ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import { runAgent } from "../../src/agent/loop/agent-loop.ts";
import { asksFor, scriptedModel, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { connectForTest, freePort, httpServer, listenForTest, startEverything } from "./mcp-test-kit.ts";

const { signal } = new AbortController();
const messages = [{ role: "user", content: "Go." }] as const;

test.each([
  ["its type says so", true],
  ["it turns out when the newer transport is refused", false],
])("a whole conversation uses a server of the older transport, also after a restart: %s", async (_name, isOlder) => {
  const port = await freePort();
  const first = await startEverything(port, "sse");
  const server = httpServer(`http://127.0.0.1:${port}/sse`, { name: "every", isOlder });
  const { mcp } = await connectForTest([server], { fetch });
  expect(mcp.status()).toMatchObject([{ connected: true, protocol_version: expect.stringMatching(/^202[45]-/) }]);

  const restarted: ScriptedTurn = async () => {
    await first.stop();
    await vi.waitUntil(() => mcp.status()[0]?.connected === false, { timeout: 10_000 });
    await startEverything(port, "sse");
    return asksFor("every__get-sum", { a: 40, b: 2 }, "b");
  };
  const model = scriptedModel(asksFor("every__echo", { message: "hi" }, "a"), restarted, "Done.");
  const outcome = await runAgent({ model, messages, tools: mcp.tools(), signal });
  expect(outcome.tool_calls).toMatchObject([
    { ok: true, result: "Echo: hi" },
    { ok: true, result: expect.stringContaining("42") },
  ]);
});

type Answer = (message: { readonly id: number; readonly method: string }, stream: ServerResponse) => object | number;

/** A server of the older transport. What it gives to a message is a result, or the status that refuses it. */
async function startOlder(answer: Answer, { endpoint = "/messages" as string | null } = {}): Promise<string> {
  let stream: ServerResponse | null = null;
  const results: Readonly<Record<string, object>> = {
    initialize: { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
    "tools/list": { tools: [{ name: "look", inputSchema: { type: "object" } }] },
  };
  const server = createServer(async (request, response) => {
    if (request.method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write(endpoint === null ? ": wait\n\n" : `event: endpoint\ndata: ${endpoint}\n\n`);
      return;
    }
    if (request.url !== "/messages" || !stream) return void response.writeHead(405).end();
    const message = JSON.parse((await Array.fromAsync(request)).join(""));
    if (message.id === undefined) return void response.writeHead(202).end();
    const result = results[message.method] ?? answer(message, stream);
    if (typeof result === "number") return void response.writeHead(result).end("No.");
    response.writeHead(202).end();
    stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: message.id, result })}\n\n`);
  });
  return `http://127.0.0.1:${await listenForTest(server)}/sse`;
}

async function callLook(answer: Answer) {
  const url = await startOlder(answer);
  const { mcp } = await connectForTest([httpServer(url, { isOlder: true })], { fetch });
  const model = scriptedModel(asksFor("test__look"), "Done.");
  return (await runAgent({ model, messages, tools: mcp.tools(), signal })).tool_calls[0];
}

test("a stream that ends during a call ends the call at once", async () => {
  const ended = await callLook((_message, stream) => {
    stream.destroy();
    return 202;
  });
  expect(ended).toMatchObject({ ok: false, result: expect.stringContaining("disconnected during the call") });
});

test("a message that the server refuses is reported with its status", async () => {
  expect(await callLook(() => 503)).toMatchObject({ ok: false, result: 'The MCP server "test" answered HTTP 503.' });
});

test("a server that forgot us is connected again, and the call is made once more", async () => {
  let calls = 0;
  const look = await callLook(() => ((calls += 1) === 1 ? 404 : { content: [{ type: "text", text: "blue" }] }));
  expect(look).toMatchObject({ ok: true, result: "blue" });
  expect(calls).toBe(2);
});

test.each([
  ["never says where messages go", null, "it did not open its stream of events in time"],
  ["sends us elsewhere", "https://elsewhere.test/messages", "Endpoint origin does not match"],
])("a server that %s cannot be reached, and the log says why", async (_name, endpoint, reason) => {
  const url = await startOlder(() => 404, { endpoint });
  const { mcp, log } = await connectForTest([httpServer(url, { isOlder: true })], { fetch, connectTimeoutMs: 300 });
  expect(mcp.status()).toMatchObject([{ connected: false }]);
  expect(log.lines[0]).toMatchObject({
    message: "mcp server cannot be reached",
    fields: { reason: expect.stringContaining(reason) },
  });
});

test("an address that speaks neither transport is reported with the answer to the newer one", async () => {
  const port = await listenForTest(createServer((_request, response) => response.writeHead(404).end()));
  const { log } = await connectForTest([httpServer(`http://127.0.0.1:${port}/mcp`)], { fetch });
  expect(log.lines[0]?.fields).toMatchObject({ reason: "it answered HTTP 404; is this its streamable HTTP endpoint?" });
});
