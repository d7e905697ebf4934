import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import { createAgentMcpServer } from "../../src/agent/mcp/agent-mcp-server.ts";
import { runAgent } from "../../src/agent/loop/agent-loop.ts";
import { asksFor, scriptedModel, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { connectForTest, freePort, httpServer, startEverything } from "./mcp-test-kit.ts";

const { signal } = new AbortController();
const messages = [{ role: "user", content: "Go." }] as const;

/** The globals stay Node's own: test files share them, and our services could not answer straight to a connection without. */
const local = { hostname: "127.0.0.1", port: 0, overrideGlobalObjects: false };

/** A server of the current revision. What each request carried is kept. */
async function startModern(create: () => McpServer) {
  const requests: Headers[] = [];
  const handler = createMcpHandler(create);
  const server = serve({
    ...local,
    fetch: (request) => {
      requests.push(request.headers);
      return handler.fetch(request);
    },
  });
  if (!server.listening) await once(server, "listening");
  onTestFinished(async () => {
    await handler.close();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests };
}

test("a whole conversation uses the reference server over streamable HTTP, also after it was restarted", async () => {
  const port = await freePort();
  const first = await startEverything(port, "streamableHttp");
  const url = `http://127.0.0.1:${port}/mcp`;
  const { mcp } = await connectForTest([httpServer(url, { name: "every" })], { fetch });
  expect(mcp.status()).toMatchObject([{ connected: true, protocol_version: "2025-11-25" }]);

  const restarted: ScriptedTurn = async () => {
    await first.stop();
    await startEverything(port, "streamableHttp");
    return asksFor("every__get-sum", { a: 40, b: 2 }, "b");
  };
  const model = scriptedModel(asksFor("every__echo", { message: "hi" }, "a"), restarted, "Done.");
  const outcome = await runAgent({ model, messages, tools: mcp.tools(), signal });
  expect(outcome.tool_calls).toMatchObject([
    { ok: true, result: "Echo: hi" },
    { ok: true, result: expect.stringContaining("42") },
  ]);
});

test("a server that is down is reported in words, and used again when it is back", async () => {
  const port = await freePort();
  const first = await startEverything(port, "streamableHttp");
  const { mcp } = await connectForTest([httpServer(`http://127.0.0.1:${port}/mcp`, { name: "every" })], { fetch });
  await first.stop();
  const back: ScriptedTurn = async () => {
    await startEverything(port, "streamableHttp");
    return asksFor("every__echo", { message: "back" }, "b");
  };
  const model = scriptedModel(asksFor("every__echo", { message: "hi" }, "a"), back, "Done.");
  const outcome = await runAgent({ model, messages, tools: mcp.tools(), signal });
  expect(outcome.tool_calls).toMatchObject([
    { ok: false, result: 'The MCP server "every" cannot be reached.' },
    { ok: true, result: "Echo: back" },
  ]);
});

test("our own agent is asked by another agent, in the current revision and with the operator's headers", async () => {
  const agent = () =>
    createAgentMcpServer({
      ask: async ({ message, model_id }) => `${model_id} heard: ${message}`,
      models: async () => [{ id: "hub/one" }],
    });
  const { url, requests } = await startModern(agent);
  const { mcp } = await connectForTest([httpServer(url, { name: "peer", headers: { "x-api-key": "k" } })], { fetch });
  expect(mcp.status()).toMatchObject([{ protocol_version: "2026-07-28" }]);
  const model = scriptedModel(asksFor("peer__ask_agent", { message: "Hi", model_id: "hub/one" }), "Done.");
  const outcome = await runAgent({ model, messages, tools: mcp.tools(), signal });
  expect(outcome.tool_calls).toMatchObject([{ ok: true, result: "hub/one heard: Hi" }]);
  expect(requests.every((headers) => headers.get("x-api-key") === "k")).toBe(true);
});

test("a server over HTTP is not reached without a way to open connections", async () => {
  const { mcp, log } = await connectForTest([httpServer("http://127.0.0.1:9/mcp")]);
  expect(mcp.tools()).toEqual([]);
  expect(log.lines[0]?.fields["reason"]).toContain("no way to open connections was given");
});

test.each([false, true])(
  "an unreachable server is reported with the reason, over the older transport: %s",
  async (isOlder) => {
    const cause = new Error("Nothing accepts connections at 127.0.0.1:9.");
    const unsent = async () => Promise.reject(new TypeError("fetch failed", { cause }));
    const { log } = await connectForTest([httpServer("http://127.0.0.1:9/mcp", { isOlder })], { fetch: unsent });
    expect(log.lines[0]?.fields["reason"]).toContain(cause.message);
  },
);

test("an address that redirects to another is reported as such", async () => {
  const leadOn = async () => new Response(null, { status: 307, headers: { location: "http://127.0.0.1:9/mcp/" } });
  const { log } = await connectForTest([httpServer("http://127.0.0.1:9/mcp")], { fetch: leadOn });
  expect(log.lines[0]?.fields["reason"]).toContain("it answered HTTP 307; redirects are not followed");
});

test("a redirect is not followed", async () => {
  const target = await startModern(() => new McpServer({ name: "x", version: "1" }));
  const redirecting = serve({ ...local, fetch: () => Response.redirect(target.url, 307) });
  if (!redirecting.listening) await once(redirecting, "listening");
  onTestFinished(() => void redirecting.close());
  const { port } = redirecting.address() as AddressInfo;
  const { mcp } = await connectForTest(
    [httpServer(`http://127.0.0.1:${port}/mcp`, { headers: { "x-api-key": "k" } })],
    { fetch },
  );
  expect(mcp.status()).toMatchObject([{ connected: false }]);
  expect(target.requests).toEqual([]);
});
