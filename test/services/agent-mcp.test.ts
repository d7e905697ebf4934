import { createHash } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test, vi } from "vitest";
import { asksFor, failsWith } from "../../src/agent/testing/scripted-model.ts";
import { send } from "../support/http.ts";
import { keptLog, mailTool, runAgentApp, scripted } from "./agent-support.ts";

async function connect(url: string, mode: "auto" | "legacy" = "auto") {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  return client;
}

const question = { name: "ask_agent", arguments: { message: "17 * 23?", model_id: "test/model" } };

test.each(["auto", "legacy"] as const)("another agent asks ours over HTTP, tools included (%s)", async (mode) => {
  await using agent = await runAgentApp(
    scripted(asksFor("calculator", { expression: "17 * 23" }), "It is 391.").models,
  );
  const client = await connect(agent.url, mode);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("ask_agent");
  const onprogress = vi.fn<() => void>();
  const answer = await client.callTool(question, { onprogress });
  expect(answer).toMatchObject({ content: [{ type: "text", text: "It is 391." }] });
  expect(onprogress).toHaveBeenCalled();
  expect(await client.callTool({ name: "list_models" })).toMatchObject({
    content: [{ text: expect.stringContaining("test/model") }],
  });
  await client.close();
  const { body } = await send(`${agent.url}/agent/runs`);
  expect(body).toMatchObject({ runs: [{ wire: "mcp", state: "completed" }] });
});

test("a failure of the model is reported as a failed call and logged", async () => {
  const { lines, log } = keptLog();
  await using agent = await runAgentApp(scripted(failsWith("upstream_error")).models, { log });
  const client = await connect(agent.url);
  expect(await client.callTool(question)).toMatchObject({ isError: true });
  await client.close();
  expect(lines).toMatchObject([{ level: "warn", msg: "upstream_error", request_id: expect.any(String) }]);
});

test("an unforeseen error is only logged", async () => {
  const { lines, log } = keptLog();
  const { models } = scripted(() => Promise.reject(new Error("a bug")));
  await using agent = await runAgentApp(models, { log });
  const client = await connect(agent.url);
  const answer = await client.callTool(question);
  expect(answer).toMatchObject({ isError: true, content: [{ text: "The agent failed to answer." }] });
  await client.close();
  expect(lines).toMatchObject([{ level: "error", err: { message: "a bug" } }]);
});

test("a missing model is reported in the words of the tool", async () => {
  await using agent = await runAgentApp(scripted("Hi").models);
  const client = await connect(agent.url);
  const answer = await client.callTool({ name: "ask_agent", arguments: { message: "Hi", model_id: "nonsense" } });
  expect(answer).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^model_id "nonsense" names no model/) }],
  });
  expect(JSON.stringify(answer)).not.toContain("x-model-id");
  await client.close();
});

/** A model that waits until its call is aborted; `asked` and `givenUp` resolve on the way. */
function patientModel() {
  const asked = Promise.withResolvers<void>();
  const givenUp = Promise.withResolvers<void>();
  const { models } = scripted((_, { signal }) => {
    signal.addEventListener("abort", () => givenUp.resolve());
    asked.resolve();
    return new Promise(() => {});
  });
  return { models, asked: asked.promise, givenUp: givenUp.promise };
}

test.each(["auto", "legacy"] as const)("a call that its client takes back ends (%s)", async (mode) => {
  const { models, asked, givenUp } = patientModel();
  await using agent = await runAgentApp(models);
  const client = await connect(agent.url, mode);
  const controller = new AbortController();
  const call = client.callTool(question, { signal: controller.signal });
  await asked;
  controller.abort(new Error("changed my mind"));
  await expect(call).rejects.toThrow("changed my mind");
  await givenUp;
  await client.close();
});

test("a call is taken back by its own session alone, and by its own id", async () => {
  const { models, asked, givenUp } = patientModel();
  await using agent = await runAgentApp(models);
  const accept = "application/json, text/event-stream";
  const post = (session: string, message: object) =>
    fetch(`${agent.url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept, "mcp-session-id": session },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const cancel = (session: string, requestId: unknown) =>
    post(session, { method: "notifications/cancelled", params: { requestId } });
  const call = await post("mine", { id: 7, method: "tools/call", params: question });
  await asked;
  let ended = false;
  void givenUp.then(() => (ended = true));
  for (const [session, id] of [["theirs", 7] as const, ["mine", 8] as const, ["mine", "7"] as const]) {
    expect((await cancel(session, id)).status).toBe(202);
  }
  expect(ended).toBe(false);
  await cancel("mine", 7);
  await givenUp;
  await call.text();
});

test("tools that need approval are not offered where no approval is possible", async () => {
  const { models, model } = scripted("Hi");
  await using agent = await runAgentApp(models, { tools: () => [mailTool([])] });
  const client = await connect(agent.url);
  await client.callTool(question);
  await client.close();
  expect(model.requests[0]?.tools).toBeUndefined();
});

test("every call of a batch counts for the limit of the key", async () => {
  const { models, model } = scripted("Hi", "Hi", "Hi", "Hi");
  const sha256 = createHash("sha256").update("a key").digest("hex");
  const apiKeys = [{ name: "app", scopes: new Set(["agent"] as const), sha256 }];
  await using agent = await runAgentApp(models, { apiKeys, rateLimits: { agent: 4 } });
  const batch = (size: number) =>
    Array.from({ length: size }, (_, id) => ({ jsonrpc: "2.0", id, method: "tools/call", params: question }));
  const accept = "application/json, text/event-stream";
  const headers = { "x-api-key": "a key", "content-type": "application/json", accept };
  async function ask(size: number): Promise<number> {
    const body = JSON.stringify(batch(size));
    const response = await fetch(`${agent.url}/mcp`, { method: "POST", headers, body });
    await response.text();
    return response.status;
  }
  expect([await ask(3), model.requests.length]).toEqual([200, 3]);
  expect([await ask(2), model.requests.length]).toEqual([429, 3]);
});

test.each([
  [undefined, 200],
  ["*/*", 200],
  ["application/json", 406],
])("a client that accepts %s gets %i", async (accept, status) => {
  await using agent = await runAgentApp(scripted("Hi").models);
  const headers = { "content-type": "application/json", ...(accept !== undefined && { accept }) };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const response = await fetch(`${agent.url}/mcp`, { method: "POST", headers, body });
  await response.text();
  expect(response.status).toBe(status);
});

test("other methods are refused as anywhere else", async () => {
  await using agent = await runAgentApp(scripted("Hi").models);
  expect((await send(`${agent.url}/mcp`)).status).toBe(405);
  expect((await send(`${agent.url}/mcp`, { body: "no json" })).status).toBe(400);
});

test("a connection that its client wants closed is closed", async () => {
  await using agent = await runAgentApp(scripted("Hi").models);
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    connection: "close",
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const response = await fetch(`${agent.url}/mcp`, { method: "POST", headers, body });
  expect([await response.text(), response.headers.get("connection")]).toEqual([
    expect.stringContaining('"result":{}'),
    "close",
  ]);
});
