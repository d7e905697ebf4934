import { createParser } from "eventsource-parser";
import { expect, test } from "vitest";
import { asksFor, failsWith } from "../../src/agent/testing/scripted-model.ts";
import { defineTool } from "../../src/agent/tools/tool.ts";
import { calculator } from "../../src/agent/tools/calculator.ts";
import type { ChatModel } from "../../src/contract/ports/chat-model.ts";
import { human, mailTool, post, runAgentApp, scripted } from "./agent-support.ts";

const user = (text: string) => ({ id: "u1", role: "user", parts: [{ type: "text", text }] });

async function chunksOf(response: Response): Promise<Record<string, unknown>[]> {
  const data: string[] = [];
  createParser({ onEvent: (event) => data.push(event.data) }).feed(await response.text());
  expect(data.pop()).toBe("[DONE]");
  return data.map((text) => JSON.parse(text) as Record<string, unknown>);
}

const typesOf = (chunks: readonly Record<string, unknown>[]) => chunks.map(({ type }) => type);

test("a turn is one message whose steps hold words, tools and results", async () => {
  const { models } = scripted(
    { text: "Let me see.", ...asksFor("calculator", { expression: "17 * 23" }) },
    "It is 391.",
  );
  await using agent = await runAgentApp(models, { price: () => ({ input: 0.01, output: 0.1 }) });
  const answer = await post(`${agent.url}/agent/ui-messages`, { id: "chat", messages: [user("17 * 23?")] });
  expect(answer.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
  const run_id = answer.headers.get("x-run-id");
  const chunks = await chunksOf(answer);
  expect(typesOf(chunks)).toEqual([
    "start",
    "start-step",
    "text-start",
    "text-delta",
    "text-end",
    "tool-input-available",
    "tool-output-available",
    "finish-step",
    "start-step",
    "text-start",
    "text-delta",
    "text-end",
    "finish-step",
    "finish",
  ]);
  expect(chunks[0]).toMatchObject({ messageId: `run--${run_id}` });
  expect(chunks[5]).toMatchObject({ toolName: "calculator", input: { expression: "17 * 23" }, dynamic: true });
  expect(chunks[6]).toMatchObject({ toolCallId: chunks[5]?.["toolCallId"], output: "391" });
  expect(chunks.at(-1)).toMatchObject({
    finishReason: "stop",
    messageMetadata: { run_id, model: "test/model", usage: { total_tokens: 30 }, cost: 1.2 },
  });
});

test("the steps of an earlier message are history, tool results included", async () => {
  const { models, model } = scripted("Yes.");
  await using agent = await runAgentApp(models);
  const earlier = {
    id: "a1",
    role: "assistant",
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Let me see." },
      { type: "tool-weather", toolCallId: "c1", state: "output-available", input: { city: "Rome" }, output: { c: 30 } },
      { type: "step-start" },
      { type: "text", text: "30 degrees." },
    ],
  };
  await chunksOf(await post(`${agent.url}/agent/ui-messages`, { messages: [user("Rome?"), earlier, user("Sure?")] }));
  expect(model.requests[0]?.messages).toMatchObject([
    { role: "user", content: "Rome?" },
    { role: "assistant", content: "Let me see.", tool_calls: [{ id: "c1", name: "weather" }] },
    { role: "tool", tool_call_id: "c1", content: expect.stringContaining('{"c":30}') },
    { role: "assistant", content: "30 degrees." },
    { role: "user", content: "Sure?" },
  ]);
});

test("a message counts once, however many steps and tools the agent put into it", async () => {
  const { models, model } = scripted("Yes.");
  await using agent = await runAgentApp(models, { maxMessages: 3 });
  const used = { type: "dynamic-tool", toolName: "calculator", state: "output-available", input: {}, output: "1" };
  const steps = ["1", "2", "3", "4"].flatMap((toolCallId) => [{ type: "step-start" }, { ...used, toolCallId }]);
  const earlier = { id: "a1", role: "assistant", parts: [...steps, { type: "text", text: "Done." }] };
  const answer = await post(`${agent.url}/agent/ui-messages`, { messages: [user("Hi"), earlier, user("Sure?")] });
  expect(answer.status).toBe(200);
  await answer.text();
  expect(model.requests[0]?.messages).toHaveLength(10);
  const more = { messages: [user("Hi"), earlier, user("Sure?"), user("Really?")] };
  expect((await post(`${agent.url}/agent/ui-messages`, more)).status).toBe(422);
});

test("a call that was refused earlier is known to be refused", async () => {
  const { models, model } = scripted("Sorry.");
  await using agent = await runAgentApp(models);
  const approval = { id: "run:c1", approved: false, reason: "Ask first." };
  const refused = { type: "dynamic-tool", toolName: "send_mail", toolCallId: "c1", state: "output-denied", approval };
  const earlier = {
    id: "a1",
    role: "assistant",
    parts: [
      { ...refused, input: {} },
      { type: "text", text: "Fine." },
    ],
  };
  await chunksOf(
    await post(`${agent.url}/agent/ui-messages`, { messages: [user("Mail!"), earlier, user("Why not?")] }),
  );
  expect(model.requests[0]?.messages[2]).toMatchObject({
    role: "tool",
    content: expect.stringContaining("it was not approved, for this reason: Ask first."),
  });
});

test.each([
  ["approved", { approved: true }, ["tool-input-available", "tool-output-available"], "sent"],
  ["denied", { approved: false }, ["tool-output-denied"], "it was not approved. Do not ask"],
  ["denied for a reason", { approved: false, reason: "Ask Ada." }, ["tool-output-denied"], "for this reason: Ask Ada."],
])("a call that was %s in the chat goes on in the same message", async (_name, decision, expected, told) => {
  const sent: unknown[] = [];
  const { models, model } = scripted(asksFor("send_mail", { to: "a@example.org" }), "Done.");
  await using agent = await runAgentApp(models, { tools: () => [mailTool(sent)] });
  const url = `${agent.url}/agent/ui-messages`;
  const asked = await chunksOf(await post(url, { messages: [user("Mail!")] }));
  const request = asked.find(({ type }) => type === "tool-approval-request");
  expect(asked.at(-1)).toMatchObject({ type: "finish", finishReason: "tool-calls" });
  const approval = { id: request?.["approvalId"], ...decision };
  const part = { type: "dynamic-tool", toolName: "send_mail", toolCallId: request?.["toolCallId"] };
  const decided = {
    id: "message-1",
    role: "assistant",
    parts: [{ type: "step-start" }, { ...part, state: "approval-responded", input: { to: "forged" }, approval }],
  };
  const resumed = await chunksOf(await post(url, { messages: [user("Mail!"), decided] }));
  expect(resumed[0]).toMatchObject({ type: "start", messageId: "message-1" });
  expect(typesOf(resumed).filter((type) => String(type).startsWith("tool-"))).toEqual(expected);
  expect(sent).toEqual(decision.approved ? [{ to: "a@example.org" }] : []);
  expect(model.requests[1]?.messages.at(-1)?.content).toContain(told);
  expect((await post(url, { messages: [user("Mail!"), decided] })).status).toBe(409);
});

test("a call of a tool that is not there is a tool that failed", async () => {
  await using agent = await runAgentApp(scripted(asksFor("abacus", { beads: 1 }), "Sorry.").models);
  const chunks = await chunksOf(await post(`${agent.url}/agent/ui-messages`, { messages: [user("Count!")] }));
  const tools = chunks.filter(({ type }) => String(type).startsWith("tool-"));
  expect(tools).toMatchObject([
    { type: "tool-input-available", toolName: "abacus", input: { beads: 1 } },
    { type: "tool-output-error", errorText: expect.stringContaining("there is no tool named") },
  ]);
});

test("a tool is shown while it is used", async () => {
  const used = Promise.withResolvers<string>();
  const slow = defineTool({ name: "slow", description: "", parameters: {}, run: () => used.promise });
  await using agent = await runAgentApp(scripted(asksFor("slow"), "Done.").models, { tools: () => [slow] });
  const answer = await post(`${agent.url}/agent/ui-messages`, { messages: [user("Go!")] });
  used.resolve("x");
  expect(typesOf(await chunksOf(answer))).toContain("tool-output-available");
});

test("a client that goes away ends the model's call", async () => {
  const ended = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const hanging: ChatModel = (_request, { signal }) =>
    new Promise((_, reject) => {
      begun.resolve();
      signal.addEventListener("abort", () => {
        ended.resolve();
        reject(signal.reason);
      });
    });
  await using agent = await runAgentApp({ "test/model": hanging });
  const client = new AbortController();
  const asked = post(`${agent.url}/agent/ui-messages`, { messages: [user("Hi")] }, {}, client.signal);
  await begun.promise;
  client.abort();
  await expect(asked).rejects.toThrow(/abort/i);
  await ended.promise;
});

test("a refused request has an error status, and a later failure is an error chunk", async () => {
  const { models } = scripted(failsWith("upstream_error"));
  await using agent = await runAgentApp(models);
  const url = `${agent.url}/agent/ui-messages`;
  expect((await post(url, { messages: [user("Hi")] })).status).toBe(502);
  const file = { id: "u", role: "user", parts: [{ type: "file", mediaType: "image/png", url: "data:," }] };
  expect((await post(url, { messages: [file] })).status).toBe(422);
  expect((await post(url, human("Hi"))).status).toBe(422);
  const forged = { type: "dynamic-tool", toolCallId: "c", toolName: "x", state: "approval-responded" };
  const approval = { id: "nothing:c", approved: true };
  const message = { id: "m", role: "assistant", parts: [{ ...forged, input: {}, approval }] };
  expect((await post(url, { messages: [message] })).status).toBe(404);

  const broken = scripted({ text: "One", ...asksFor("calculator", { expression: "1" }) }, failsWith("upstream_error"));
  await using other = await runAgentApp(broken.models);
  const chunks = await chunksOf(await post(`${other.url}/agent/ui-messages`, { messages: [user("Hi")] }));
  expect(chunks.at(-1)).toMatchObject({ type: "error" });
});

const hm = { message: { reasoning_content: "Hm." } };
const calculates = asksFor("calculator", { expression: "17 * 23" }, "call_1").tool_calls;

test.each([
  ["alone", calculates],
  ["before one of a tool that is not there", [...calculates, ...asksFor("abacus", {}, "call_2").tool_calls]],
  ["before one that waits for approval", [...calculates, ...asksFor("send_mail", { to: "ada" }, "call_2").tool_calls]],
])("opaque metadata of a call returns to the provider with the chat: %s", async (_where, tool_calls) => {
  const [first, ...rest] = tool_calls;
  const asked = [...(first ? [{ ...first, echo: { from: "deepseek", ...hm } }] : []), ...rest];
  const { models, model } = scripted({ tool_calls: asked }, "391.");
  await using agent = await runAgentApp(models, { tools: () => [calculator(), mailTool([])] });
  const chunks = await chunksOf(await post(`${agent.url}/agent/ui-messages`, { messages: [user("17 * 23?")] }));
  const used = chunks
    .filter(({ type }) => type === "tool-input-available")
    .map(({ toolCallId, toolName, input, providerMetadata: callProviderMetadata }) => {
      const call = { type: "dynamic-tool", toolCallId, toolName, input, callProviderMetadata };
      return { ...call, state: "output-available", output: "391" };
    });
  const reply = { id: "a1", role: "assistant", parts: [{ type: "step-start" }, ...used, { type: "step-start" }] };
  await chunksOf(await post(`${agent.url}/agent/ui-messages`, { messages: [user("17 * 23?"), reply, user("Sure?")] }));
  const sentBack = model.requests.at(-1)?.messages[1];
  expect(sentBack?.role === "assistant" && sentBack.tool_calls?.[0]?.echo).toMatchObject(hm);
});

test("opaque metadata returns also where the endpoint gives each of its calls the same id", async () => {
  const again = { tool_calls: calculates.map((call) => ({ ...call, echo: { from: "kimi", ...hm } })) };
  await using agent = await runAgentApp(scripted(again, again, "391.").models);
  const chunks = await chunksOf(await post(`${agent.url}/agent/ui-messages`, { messages: [user("17 * 23?")] }));
  const calls = chunks.filter(({ type }) => type === "tool-input-available");
  expect(calls.map(({ toolCallId }) => toolCallId)).toEqual(["call_1", expect.not.stringMatching("call_1")]);
  expect(calls.map(({ providerMetadata }) => providerMetadata)).toEqual([expect.anything(), expect.anything()]);
});
