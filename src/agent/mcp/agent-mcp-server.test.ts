import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { ServiceError } from "../../contract/errors/errors.ts";
import { createAgentMcpServer, type AgentMcpDependencies } from "./agent-mcp-server.ts";

async function connect(dependencies: Partial<AgentMcpDependencies> = {}) {
  const ask = vi.fn<AgentMcpDependencies["ask"]>(async ({ message }) => `You said ${message}`);
  const server = createAgentMcpServer({ ask, models: async () => [{ id: "hub/one" }], ...dependencies });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  onTestFinished(() => client.close());
  return { client, ask };
}

const question = { name: "ask_agent", arguments: { message: "Hi", model_id: "hub/one" } };

test("answers with the model of the caller's choice", async () => {
  const { client, ask } = await connect();
  expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(["ask_agent", "list_models"]);
  expect(await client.callTool(question)).toMatchObject({ content: [{ type: "text", text: "You said Hi" }] });
  expect(ask.mock.calls[0]?.[0]).toMatchObject({ message: "Hi", model_id: "hub/one" });
  expect(await client.callTool({ name: "list_models" })).toMatchObject({
    content: [{ text: '{"models":[{"id":"hub/one"}]}' }],
  });
});

test("sends progress during a long silent call to a client that asks for it", async () => {
  const told = Promise.withResolvers<string>();
  const { client } = await connect({ ask: () => told.promise, silenceMs: 1 });
  const seen: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => {
    seen.push(progress);
    if (seen.length === 2) told.resolve("At last.");
  };
  expect(await client.callTool(question, { onprogress })).toMatchObject({ content: [{ text: "At last." }] });
  expect(seen.slice(0, 2)).toEqual([1, 2]);
});

test("shows a failure written for the caller, and hides any other", async () => {
  const known = await connect({
    ask: () => Promise.reject(new ServiceError("model_not_found", 'No provider serves "x".')),
  });
  expect(await known.client.callTool(question)).toMatchObject({
    isError: true,
    content: [{ text: 'No provider serves "x".' }],
  });
  const unknown = await connect({ ask: () => Promise.reject(new Error("password is 1234")) });
  expect(await unknown.client.callTool(question)).toMatchObject({
    isError: true,
    content: [{ text: "The agent failed to answer." }],
  });
});

test("refuses a question without a model", async () => {
  const { client, ask } = await connect();
  expect(await client.callTool({ name: "ask_agent", arguments: { message: "Hi" } })).toMatchObject({ isError: true });
  expect(ask).not.toHaveBeenCalled();
});

test("aborts the run when the caller cancels", async () => {
  const controller = new AbortController();
  const started = Promise.withResolvers<AbortSignal>();
  const { client } = await connect({
    ask: ({ signal }) => {
      started.resolve(signal);
      return new Promise(() => {});
    },
  });
  const asked = client.callTool(question, { signal: controller.signal }).catch(() => "gave up");
  const signal = await started.promise;
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
  controller.abort();
  expect(await asked).toBe("gave up");
  await aborted;
});
