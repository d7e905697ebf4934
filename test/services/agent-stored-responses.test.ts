import { createHash } from "node:crypto";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { asksFor, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { hostClock } from "../../src/storage/tables/host.ts";
import { send } from "../support/http.ts";
import { human, post, runAgentApp, scripted } from "./agent-support.ts";

const weather = {
  type: "function" as const,
  name: "weather",
  parameters: { type: "object", properties: {} },
  strict: null,
};

/** Asks our calculator, then the client's weather, and then repeats all it has read. */
const script: ScriptedTurn = ({ messages }) => {
  const last = messages.at(-1);
  if (last?.content === "Weather?") return asksFor("calculator", { expression: "17 * 23" }, "own");
  if (last?.role === "tool" && last.name === "calculator") return asksFor("weather", {}, "theirs");
  return messages.map(({ role, content }) => `${role}:${content}`).join("|");
};

async function openClient(...turns: readonly ScriptedTurn[]) {
  const { models, model } = scripted(...turns);
  const agent = await runAgentApp(models);
  const client = new OpenAI({ baseURL: `${agent.url}/v1`, apiKey: "none", maxRetries: 0 });
  return { agent, model, client, [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose]() };
}

const model = "test/model";

test("a response continues another one, from any place of its chain, with the instructions of its own", async () => {
  await using opened = await openClient(script);
  const { responses } = opened.client;
  const image = { type: "input_image" as const, image_url: "https://a.example/b.png", detail: "auto" as const };
  const first = await responses.create({
    model,
    instructions: "Be kind.",
    input: [{ role: "user", content: [{ type: "input_text", text: "One" }, image] }],
  });
  const second = await responses.create({ model, input: "Two", previous_response_id: first.id });
  expect(second.previous_response_id).toBe(first.id);
  expect(second.output_text).toMatch(/^user:One\[image .*\]\|assistant:system:Be kind\.\|.*\|user:Two$/);
  expect(opened.model.requests[1]?.messages[0]).toMatchObject({ parts: [{ text: "One" }, { type: "image" }] });
  const other = await responses.create({ model, input: "Three", previous_response_id: first.id });
  expect(other.output_text).not.toContain("Two");
  expect(await responses.retrieve(second.id)).toMatchObject({ ...second, output_text: second.output_text });
  await responses.delete(first.id);
  await expect(responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
  const cut = responses.create({ model, input: "Four", previous_response_id: second.id });
  await expect(cut).rejects.toMatchObject({ status: 404, param: "previous_response_id" });
});

test("items of stored responses are sent as references, calls with the agent's own steps before them", async () => {
  await using opened = await openClient(script);
  const { responses } = opened.client;
  const question = { role: "user" as const, content: "Weather?" };
  const asked = await responses.create({ model, input: [question], tools: [weather] });
  const [call] = asked.output;
  if (call?.type !== "function_call") throw new Error("no call");
  const result = { type: "function_call_output" as const, call_id: call.call_id, output: "Sunny" };
  const reference = { type: "item_reference" as const, id: call.id ?? "" };
  const answer = await responses.create({ model, tools: [weather], input: [question, reference, result] });
  expect(answer.output_text).toMatch(/^user:Weather\?\|assistant:\|tool:.*391.*\|assistant:\|tool:Sunny$/s);
  const continued = await responses.create({
    model,
    tools: [weather],
    input: [result],
    previous_response_id: asked.id,
  });
  expect(continued.output_text).toBe(answer.output_text);
  const unknown = responses.create({ model, input: [{ type: "item_reference", id: "msg_1" }] });
  await expect(unknown).rejects.toMatchObject({ status: 404, param: "input[0].id" });
});

test("a conversation is a thread: other wires continue it, and deleting it deletes its responses", async () => {
  await using opened = await openClient(script);
  const { agent, client } = opened;
  const first = await client.responses.create({ model, input: "One", conversation: "talk" });
  expect(first.conversation).toEqual({ id: "talk" });
  await post(agent.url, human("Two"), { "x-thread-id": "talk", "x-model-id": model });
  const last = await client.responses.create({ model, input: "Three", conversation: { id: "talk" } });
  expect(last.output_text).toMatch(/^user:One\|assistant:.*\|user:Two\|assistant:.*\|user:Three$/);
  const { body } = await send(`${agent.url}/agent/threads/talk`);
  expect(body).toMatchObject({ messages: { length: 6, 0: { type: "human", content: "One" } } });
  const both = client.responses.create({ model, input: "?", previous_response_id: first.id });
  await expect(both).rejects.toMatchObject({ status: 422, message: expect.stringContaining("conversation talk") });
  await send(`${agent.url}/agent/threads/talk`, { method: "DELETE" });
  await expect(client.responses.retrieve(last.id)).rejects.toMatchObject({ status: 404 });
});

test("a response in the background is read until it has ended, or cancelled", async () => {
  const { promise: free, resolve } = Promise.withResolvers<void>();
  const waits: ScriptedTurn = async (_request, { signal }) => {
    await Promise.race([free, new Promise((_, reject) => signal?.addEventListener("abort", reject))]);
    return "Done";
  };
  await using opened = await openClient(waits);
  const { responses } = opened.client;
  const begun = await responses.create({ model, input: "Go", background: true });
  const stopped = await responses.create({ model, input: "Go", background: true });
  expect([begun.status, begun.background]).toEqual(["queued", true]);
  expect((await responses.retrieve(begun.id)).status).toBe("in_progress");
  const early = responses.create({ model, input: "And?", previous_response_id: begun.id });
  await expect(early).rejects.toMatchObject({ status: 409 });
  expect((await responses.cancel(stopped.id)).status).toBe("cancelled");
  resolve();
  await expect.poll(async () => (await responses.retrieve(begun.id)).status).toBe("completed");
  expect(await responses.cancel(begun.id)).toMatchObject({ status: "completed", output: [{ type: "message" }] });
});

test("store: false stores nothing", async () => {
  await using opened = await openClient(script);
  const { responses } = opened.client;
  const { id, store } = (await responses.create({ model, input: "Hi", store: false })) as OpenAI.Responses.Response & {
    store: boolean;
  };
  expect(store).toBe(false);
  await expect(responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  const hidden = responses.create({ model, input: "Hi", store: false, background: true });
  await expect(hidden).rejects.toMatchObject({ status: 422, param: "background" });
});

test("responses of another owner are unknown", async () => {
  const apiKeys = ["one", "two"].map((name) => ({
    name,
    sha256: createHash("sha256").update(`key-${name}`).digest("hex"),
    scopes: new Set(["agent"] as const),
  }));
  await using agent = await runAgentApp(scripted("Hi").models, { apiKeys });
  const clientOf = (name: string) =>
    new OpenAI({ baseURL: `${agent.url}/v1`, apiKey: `key-${name}`, maxRetries: 0 }).responses;
  const { id, output } = await clientOf("one").create({ model, input: "Hi" });
  const item = { type: "item_reference" as const, id: output[0]?.id ?? "" };
  const two = clientOf("two");
  for (const tried of [
    () => two.retrieve(id),
    () => two.delete(id),
    () => two.cancel(id),
    () => two.create({ model, input: "Hi", previous_response_id: id }),
    () => two.create({ model, input: [item] }),
  ])
    await expect(tried()).rejects.toMatchObject({ status: 404 });
  expect((await clientOf("one").retrieve(id)).id).toBe(id);
});

test("a chain is kept as long as a thread, from its last response", async () => {
  let now = Date.now();
  const storage = await openSqlite({ file: ":memory:", clock: { ...hostClock, now: () => now } });
  await using agent = await runAgentApp(scripted("Hi").models, { memory: storage.agent });
  const { responses } = new OpenAI({ baseURL: `${agent.url}/v1`, apiKey: "none", maxRetries: 0 });
  const old = await responses.create({ model, input: "Hi" });
  const kept = await responses.create({ model, input: "Hi" });
  now += 60_000;
  const last = await responses.create({ model, input: "Hi", previous_response_id: kept.id });
  await storage.agent.tidy({ runMs: null, threadMs: 30_000 });
  await expect(responses.retrieve(old.id)).rejects.toMatchObject({ status: 404 });
  for (const { id } of [kept, last]) expect((await responses.retrieve(id)).id).toBe(id);
  await storage.close();
});
