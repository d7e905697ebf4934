import { HttpAgent, type Message, type RunAgentParameters, type Tool } from "@ag-ui/client";
import { expect, test } from "vitest";
import { asksFor, failsWith } from "../../src/agent/testing/scripted-model.ts";
import { calculator } from "../../src/agent/tools/calculator.ts";
import { mailTool, parseEvents, post, runAgentApp, scripted, type AgentUnderTest } from "./agent-support.ts";

/** The protocol's own client. It refuses events that are malformed or out of order, and keeps the conversation. */
function connect({ url }: AgentUnderTest, messages: Message[] = []) {
  const client = new HttpAgent({
    url: `${url}/agent/ag-ui`,
    headers: { "x-model-id": "test/model" },
    initialMessages: messages,
  });
  const events: Record<string, unknown>[] = [];
  client.subscribe({ onEvent: ({ event }) => void events.push({ ...event }) });
  return {
    events,
    messages: () => client.messages,
    say(content: string): void {
      client.addMessage({ id: `user-${client.messages.length}`, role: "user", content });
    },
    add: (message: Message) => client.addMessage(message),
    run: (parameters: RunAgentParameters = {}) => client.runAgent(parameters),
    end: () => events.at(-1),
  };
}

const typesOf = (events: readonly Record<string, unknown>[]) => events.map(({ type }) => type);

test("a turn is streamed as messages, tool calls and their results", async () => {
  const { models } = scripted(
    { text: "Let me see.", ...asksFor("calculator", { expression: "17 * 23" }) },
    "It is 391.",
  );
  await using agent = await runAgentApp(models, { price: () => ({ input: 0.01, output: 0.1 }) });
  const client = connect(agent);
  client.say("17 * 23?");
  await client.run();
  expect(typesOf(client.events)).toEqual([
    "RUN_STARTED",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_END",
    "TOOL_CALL_START",
    "TOOL_CALL_ARGS",
    "TOOL_CALL_END",
    "TOOL_CALL_RESULT",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_END",
    "RUN_FINISHED",
  ]);
  expect(client.messages()).toMatchObject([
    { role: "user" },
    {
      role: "assistant",
      content: "Let me see.",
      toolCalls: [{ function: { name: "calculator", arguments: '{"expression":"17 * 23"}' } }],
    },
    { role: "tool", content: "391" },
    { role: "assistant", content: "It is 391." },
  ]);
  expect(client.end()).toMatchObject({
    usage: [{ model: "test/model", inputTokens: 20, outputTokens: 10, totalTokens: 30 }],
    metadata: { run_id: expect.any(String), model: "test/model", finish_reason: "stop", cost: 1.2 },
  });
});

test("the conversation comes back as history, with what the application says of the moment before it", async () => {
  const { models, model } = scripted({ text: "", ...asksFor("calculator", { expression: "1 + 1" }) }, "2.", "Yes.");
  await using agent = await runAgentApp(models);
  const client = connect(agent);
  client.say("1 + 1?");
  await client.run();
  client.say("Sure?");
  await client.run({ context: [{ description: "The user's name", value: "Ada" }] });
  expect(model.requests.at(-1)?.messages).toMatchObject([
    { role: "system", content: expect.stringContaining("The user's name: Ada") },
    { role: "user", content: "1 + 1?" },
    { role: "assistant", content: "", tool_calls: [{ name: "calculator" }] },
    { role: "tool", content: expect.stringContaining("2") },
    { role: "assistant", content: "2." },
    { role: "user", content: "Sure?" },
  ]);
});

test("reasoning is streamed apart from the text and not sent back to the model", async () => {
  const { models, model } = scripted({ reasoning: "Easy.", text: "Hello." }, "Bye.");
  await using agent = await runAgentApp(models);
  const client = connect(agent);
  client.say("Hi");
  await client.run();
  expect(client.messages()).toMatchObject([
    { role: "user" },
    { role: "reasoning", content: "Easy." },
    { role: "assistant", content: "Hello." },
  ]);
  client.say("Bye");
  await client.run();
  expect(model.requests[1]?.messages.map(({ content }) => content)).toEqual(["Hi", "Hello.", "Bye"]);
});

test("calls to the client's own tools are left for it to answer", async () => {
  const paint: Tool = { name: "paint", description: "Paints the page.", parameters: { type: "object" } };
  const { models, model } = scripted(asksFor("paint", { colour: "red" }), "It is red now.");
  await using agent = await runAgentApp(models);
  const client = connect(agent);
  client.say("Paint it red!");
  await client.run({ tools: [paint] });
  expect(model.requests[0]?.tools?.map(({ name }) => name)).toContain("paint");
  const [call] = client
    .messages()
    .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
  expect(call?.function).toEqual({ name: "paint", arguments: '{"colour":"red"}' });
  expect(client.end()).toMatchObject({ type: "RUN_FINISHED", metadata: { finish_reason: "tool_calls" } });
  client.add({ id: "result-1", role: "tool", toolCallId: call?.id ?? "", content: "painted" });
  await client.run({ tools: [paint] });
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({
    role: "tool",
    name: "paint",
    content: expect.stringContaining("painted"),
  });
  expect(client.messages().at(-1)).toMatchObject({ role: "assistant", content: "It is red now." });
});

test("an approval that is put off for the client's tool is asked for by the model once more", async () => {
  const paint: Tool = { name: "paint", description: "Paints the page.", parameters: { type: "object" } };
  const mails = asksFor("send_mail", { to: "ada" }, "call_2").tool_calls;
  const both = { tool_calls: [...asksFor("paint", {}, "call_1").tool_calls, ...mails] };
  const sent: unknown[] = [];
  const { models, model } = scripted(both, { tool_calls: mails }, "Done.");
  await using agent = await runAgentApp(models, { tools: () => [mailTool(sent)] });
  const client = connect(agent);
  client.say("Paint it and tell Ada!");
  await client.run({ tools: [paint] });
  expect(client.messages().at(-1)).toMatchObject({ role: "assistant", toolCalls: [{ id: "call_1" }] });
  client.add({ id: "result-1", role: "tool", toolCallId: "call_1", content: "painted" });
  await client.run({ tools: [paint] });
  expect(model.requests).toHaveLength(2);
  expect([client.end(), sent]).toMatchObject([{ outcome: { type: "interrupt" } }, []]);
});

test.each([
  ["approved", { status: "resolved", payload: { approved: true } }, "sent"],
  ["denied", { status: "resolved", payload: { approved: false, reason: "Ask Ada." } }, "for this reason: Ask Ada."],
  ["abandoned", { status: "cancelled" }, "it was not approved. Do not ask"],
] as const)("a call that needs approval interrupts the run; once %s, the run goes on", async (_name, answer, told) => {
  const sent: unknown[] = [];
  const { models, model } = scripted(asksFor("send_mail", { to: "a@example.org" }), "Done.");
  await using agent = await runAgentApp(models, { tools: () => [mailTool(sent)] });
  const client = connect(agent);
  client.say("Mail!");
  await client.run();
  const { outcome } = client.end() as { outcome: { interrupts: { id: string; toolCallId: string }[] } };
  expect(outcome).toMatchObject({
    type: "interrupt",
    interrupts: [{ reason: "tool_approval", responseSchema: { required: ["approved"] } }],
  });
  const interruptId = outcome.interrupts[0]?.id ?? "";
  const resume = [{ interruptId, ...answer }];
  await client.run({ resume });
  expect(sent).toEqual("payload" in answer && answer.payload.approved ? [{ to: "a@example.org" }] : []);
  expect(model.requests[1]?.messages.at(-1)?.content).toContain(told);
  expect(client.messages()).toMatchObject([
    { role: "user" },
    { role: "assistant", toolCalls: [{ id: outcome.interrupts[0]?.toolCallId }] },
    { role: "tool", toolCallId: outcome.interrupts[0]?.toolCallId, content: expect.stringContaining(told) },
    { role: "assistant", content: "Done." },
  ]);
  const again = { threadId: "t", runId: "r", messages: [], resume };
  expect((await post(`${agent.url}/agent/ag-ui`, again)).status).toBe(409);
});

test("a call that ran together with one that was approved is in the message of both", async () => {
  const calls = [
    ...asksFor("calculator", { expression: "1 + 1" }, "call_1").tool_calls,
    ...asksFor("send_mail", { to: "ada" }, "call_2").tool_calls,
  ];
  await using agent = await runAgentApp(scripted({ text: "Both.", tool_calls: calls }, "Done.").models, {
    tools: () => [calculator(), mailTool([])],
  });
  const client = connect(agent);
  client.say("Add and mail!");
  await client.run();
  const { outcome } = client.end() as { outcome: { interrupts: { id: string }[] } };
  await client.run({
    resume: outcome.interrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload: { approved: true } })),
  });
  const [, asked, ...rest] = client.messages();
  const ids = asked?.role === "assistant" ? (asked.toolCalls ?? []).map(({ id }) => id) : [];
  expect(ids.toSorted()).toEqual(["call_1", "call_2"]);
  expect(rest.filter(({ role }) => role === "tool")).toHaveLength(2);
  expect(rest.at(-1)).toMatchObject({ role: "assistant", content: "Done." });
});

test("opaque metadata of a call returns to the provider with the conversation", async () => {
  const hm = { message: { reasoning_content: "Hm." } };
  const [call] = asksFor("calculator", { expression: "17 * 23" }, "call_1").tool_calls;
  const asks = { tool_calls: call ? [{ ...call, echo: { from: "deepseek", ...hm } }] : [] };
  const { models, model } = scripted(asks, "391.", "Yes.");
  await using agent = await runAgentApp(models);
  const client = connect(agent);
  client.say("17 * 23?");
  await client.run();
  client.say("Sure?");
  await client.run();
  const sentBack = model.requests.at(-1)?.messages[1];
  expect(sentBack?.role === "assistant" && sentBack.tool_calls?.[0]?.echo).toMatchObject(hm);
});

test("pictures go to the model as they came, other files are refused", async () => {
  const { models, model } = scripted("A cat.", "A dog.");
  await using agent = await runAgentApp(models);
  const cat = { type: "data", value: "aGk=", mimeType: "image/png" } as const;
  const client = connect(agent, [
    {
      id: "1",
      role: "user",
      content: [
        { type: "text", text: "What?" },
        { type: "image", source: cat },
      ],
    },
  ]);
  await client.run();
  expect(model.requests[0]?.messages[0]).toMatchObject({
    parts: [
      { type: "text", text: "What?" },
      { type: "image", url: "data:image/png;base64,aGk=" },
    ],
  });
  const older = { type: "binary", mimeType: "image/png", url: "https://example.org/dog.png" };
  const ask = (part: object) =>
    post(`${agent.url}/agent/ag-ui`, {
      threadId: "t",
      runId: "r",
      messages: [{ id: "1", role: "user", content: [part] }],
    });
  expect((await ask(older)).status).toBe(200);
  expect(model.requests[1]?.messages[0]).toMatchObject({ parts: [{ type: "image", url: older.url }] });
  for (const part of [
    { type: "audio", source: cat },
    { ...older, mimeType: "audio/wav" },
    { type: "image", source: { ...cat, type: "file" } },
  ]) {
    const refused = await ask(part);
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({ errors: [{ pointer: "/messages/0/content/0" }] });
  }
});

test("a refused request has an error status, and a later failure is an event", async () => {
  const { models } = scripted(failsWith("upstream_error"));
  await using agent = await runAgentApp(models);
  const url = `${agent.url}/agent/ag-ui`;
  const hi = { threadId: "t", runId: "r", messages: [{ id: "1", role: "user", content: "Hi" }] };
  expect((await post(url, hi)).status).toBe(502);
  const statuses: [object, number, string][] = [
    [{ ...hi, messages: [] }, 422, "/messages"],
    [{ ...hi, messages: [{ role: "robot" }] }, 422, "/messages/0/role"],
    [{ ...hi, tools: [{ name: "a" }, { name: "a" }] }, 422, "/tools/1"],
    [{ ...hi, tools: [{ name: "my tool" }] }, 422, "/tools/0/name"],
    [{ ...hi, forwardedProps: { model: "nobody/knows" } }, 404, "/forwardedProps/model"],
    [{ ...hi, resume: [{ interruptId: "x", status: "cancelled" }] }, 422, "/resume/0/interruptId"],
    [{ ...hi, resume: [{ interruptId: "a:b", status: "resolved" }] }, 422, "/resume/0/payload"],
    [{ ...hi, resume: ["a:b", "a:b"].map((interruptId) => ({ interruptId, status: "cancelled" })) }, 422, "/resume"],
    [{ ...hi, resume: ["a:b", "b:b"].map((interruptId) => ({ interruptId, status: "cancelled" })) }, 422, "/resume"],
  ];
  for (const [body, status, pointer] of statuses) {
    const answer = await post(url, body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ errors: [{ pointer }] });
  }
  expect((await post(url, { ...hi, resume: [{ interruptId: "a:b", status: "cancelled" }] })).status).toBe(404);

  const broken = scripted({ text: "One", ...asksFor("calculator", { expression: "1" }) }, failsWith("upstream_error"));
  await using other = await runAgentApp(broken.models);
  const events = parseEvents(await (await post(`${other.url}/agent/ag-ui`, hi)).text());
  expect(events.at(-1)?.data).toMatchObject({ type: "RUN_ERROR", code: "upstream_error", message: expect.any(String) });
});
