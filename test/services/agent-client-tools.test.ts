import OpenAI from "openai";
import { expect, test } from "vitest";
import { historyProblem } from "../../src/agent/testing/history-problem.ts";
import { asksFor, toolRefusal, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { defineTool } from "../../src/agent/tools/tool.ts";
import type { ChatRequest } from "../../src/contract/ports/chat-model.ts";
import { createChatModel } from "../../src/models/protocols/create-chat-model.ts";
import { createOutbound } from "../../src/models/outbound/create-outbound.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { ask, post, runAgentApp, scripted } from "./agent-support.ts";

test("a call of a client's tool is handed back as the model wrote it", async () => {
  const text = '{"id":12345678901234567890,"f":1.10}';
  const tool = { name: "w", parameters: { type: "object" } };
  await using agent = await runAgentApp(scripted({ tool_calls: [{ id: "c", name: "w", arguments: text }] }).models);
  const chat = { ...ask(false), tools: [{ type: "function", function: tool }] };
  const response = { model: "test/model", input: "Hi", tools: [{ type: "function", ...tool }] };
  expect(await (await post(`${agent.url}/v1/chat/completions`, chat)).json()).toMatchObject({
    choices: [{ message: { tool_calls: [{ function: { name: "w", arguments: text } }] } }],
  });
  expect(await (await post(`${agent.url}/v1/responses`, response)).json()).toMatchObject({
    output: [{ type: "function_call", arguments: text }],
  });
  const streamed = [
    await post(`${agent.url}/v1/chat/completions`, { ...chat, stream: true }),
    await post(`${agent.url}/v1/responses`, { ...response, stream: true }),
  ];
  for (const answer of streamed) expect(await answer.text()).toContain(JSON.stringify(text));
});

test("a client's settings for tool calls reach the provider, with tools only", async () => {
  await using provider = await startFakeProvider();
  await using outbound = createOutbound({ policy: "local" });
  const model = createChatModel({ protocol: "openai-chat", outbound, endpoint: provider.url, modelId: "m" });
  await using agent = await runAgentApp({ "test/model": model }, { tools: () => [] });
  const tool = { name: "w", parameters: { type: "object" }, strict: true };
  const chat = { ...ask(false), parallel_tool_calls: false };
  const response = { model: "test/model", input: "Hi", parallel_tool_calls: false };
  await post(`${agent.url}/v1/chat/completions`, { ...chat, tools: [{ type: "function", function: tool }] });
  const answer = await post(`${agent.url}/v1/responses`, { ...response, tools: [{ type: "function", ...tool }] });
  expect(await answer.json()).toMatchObject({ parallel_tool_calls: false, tools: [{ name: "w", strict: true }] });
  await post(`${agent.url}/v1/chat/completions`, chat);
  const sent = provider.requests.map(({ body }) => body);
  const passedOn = { parallel_tool_calls: false, tools: [{ type: "function", function: { name: "w", strict: true } }] };
  expect(sent).toMatchObject([passedOn, passedOn, {}]);
  expect(sent[2]).not.toHaveProperty("parallel_tool_calls");
});

test("the result of a client's tool reaches the model byte for byte", async () => {
  const { models, model } = scripted("Hi", "Hi");
  await using agent = await runAgentApp(models, { tools: () => [] });
  const content = "  Use the full city name…\n\nFix the errors and try again.\n";
  const asked = { id: "c", type: "function", function: { name: "w", arguments: "{}" } };
  await post(`${agent.url}/v1/chat/completions`, {
    ...ask(false),
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: null, tool_calls: [asked] },
      { role: "tool", tool_call_id: "c", content },
    ],
  });
  const input = [
    { role: "user", content: "Hi" },
    { type: "function_call", call_id: "c", name: "w", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: content },
  ];
  await post(`${agent.url}/v1/responses`, { model: "test/model", input });
  expect(model.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual([content, content]);
});

test("only the name of a client's tool is required, on either interface", async () => {
  const { models, model } = scripted("Hi", "Hi");
  await using agent = await runAgentApp(models, { tools: () => [] });
  const tool = { name: "w", description: null, parameters: null, strict: null };
  await post(`${agent.url}/v1/chat/completions`, { ...ask(false), tools: [{ type: "function", function: tool }] });
  const input = { model: "test/model", input: "Hi" };
  await post(`${agent.url}/v1/responses`, { ...input, tools: [{ type: "function", ...tool }] });
  const offered = [{ name: "w", description: "", parameters: { type: "object", properties: {} } }];
  expect(model.requests.map(({ tools }) => tools)).toEqual([offered, offered]);
});

test("a forced tool is forced once", async () => {
  const { models, model } = scripted(
    { tool_calls: [{ id: "c", name: "calculator", arguments: '{"expression":"1"}' }] },
    "One.",
  );
  await using agent = await runAgentApp(models);
  await post(`${agent.url}/v1/chat/completions`, { ...ask(false), tool_choice: "required" });
  expect(model.requests.map(({ tool_choice }) => tool_choice)).toEqual(["required", undefined]);
});

const fetchTool = { name: "fetch_page", parameters: { type: "object" } };
const forgetTool = { name: "forget", parameters: { type: "object" } };

test.each([
  [
    "/v1/chat/completions",
    {
      messages: [{ role: "user", content: "Hi" }],
      tools: [fetchTool, forgetTool].map((tool) => ({ type: "function", function: tool })),
    },
    (mode: string, names: readonly string[]) => ({
      type: "allowed_tools",
      allowed_tools: { mode, tools: names.map((name) => ({ type: "function", function: { name } })) },
    }),
  ],
  [
    "/v1/responses",
    { input: "Hi", tools: [fetchTool, forgetTool].map((tool) => ({ type: "function", ...tool })) },
    (mode: string, names: readonly string[]) => ({
      type: "allowed_tools",
      mode,
      tools: names.map((name) => ({ type: "function", name })),
    }),
  ],
])("%s offers only the tools that are allowed, ours and the client's", async (path, body, choose) => {
  const { models, model } = scripted("Fine.");
  await using agent = await runAgentApp(models);
  const create = (tool_choice: unknown) => post(`${agent.url}${path}`, { model: "test/model", ...body, tool_choice });
  expect((await create(choose("auto", ["fetch_page"]))).status).toBe(200);
  expect((await create(choose("required", ["calculator", "forget"]))).status).toBe(200);
  expect(model.requests.map(({ tools, tool_choice }) => [tools?.map(({ name }) => name), tool_choice])).toEqual([
    [["fetch_page"], undefined],
    [["calculator", "forget"], "required"],
  ]);
  const refused = await create(choose("auto", ["rocket"]));
  expect(refused.status).toBe(422);
  expect(await refused.json()).toMatchObject({
    error: { message: '/tool_choice names "rocket", which is not a tool of this request' },
  });
});

const doneIn = ({ messages }: ChatRequest) =>
  new Set(messages.flatMap((message) => (message.role === "tool" ? (message.name ?? "") : [])));

/** Books with a tool of ours, then asks the client for the weather, as long as it does not see that either was done. */
const booksThenAsks: ScriptedTurn = (request) => {
  const done = doneIn(request);
  if (!done.has("book")) return { text: "I book.", ...asksFor("book", {}, "call_1") };
  return done.has("weather") ? "Booked, and it is sunny." : asksFor("weather", {}, "call_2");
};

/** The same, but both at once. */
const booksAndAsks: ScriptedTurn = (request) => {
  const done = doneIn(request);
  const wanted = [asksFor("book", {}, "call_1"), asksFor("weather", {}, "call_2")].flatMap(
    ({ tool_calls }) => tool_calls,
  );
  const open = wanted.filter(({ name }) => !done.has(name));
  return open.length > 0 ? { text: "I see.", tool_calls: open } : "Booked, and it is sunny.";
};

function bookTool(booked: unknown[]) {
  const parameters = { type: "object", properties: {} };
  return defineTool({ name: "book", description: "Books.", parameters, run: (args) => void booked.push(args) });
}

test.each([
  ["before", false, booksThenAsks],
  ["before", true, booksThenAsks],
  ["when", false, booksAndAsks],
  ["when", true, booksAndAsks],
] as const)(
  "what our tools did %s the client's were asked for is not done again (stream: %s)",
  async (_when, stream, turn) => {
    const booked: unknown[] = [];
    const { models, model } = scripted(turn);
    await using agent = await runAgentApp(models, { tools: () => [bookTool(booked)] });
    const openai = new OpenAI({ baseURL: `${agent.url}/v1`, apiKey: "none", maxRetries: 0 });
    const weather = { name: "weather", parameters: { type: "object", properties: {} } };

    const chat = { model: "test/model", tools: [{ type: "function" as const, function: weather }] };
    const complete = async (messages: OpenAI.ChatCompletionMessageParam[]) =>
      (stream
        ? await openai.chat.completions.stream({ ...chat, messages }).finalChatCompletion()
        : await openai.chat.completions.create({ ...chat, messages })
      ).choices[0]?.message;
    const question = { role: "user" as const, content: "Book, and tell me the weather." };
    const asked = await complete([question]);
    expect(asked?.tool_calls).toMatchObject([{ function: { name: "weather" } }]);
    expect(booked).toHaveLength(1);
    const result = { role: "tool" as const, tool_call_id: asked?.tool_calls?.[0]?.id ?? "", content: "sunny" };
    const answered = await complete([question, asked as OpenAI.ChatCompletionMessage, result]);
    expect(answered?.content).toBe("Booked, and it is sunny.");
    expect(booked).toHaveLength(1);

    const respond = async (input: OpenAI.Responses.ResponseInput) => {
      const body = { model: "test/model", tools: [{ type: "function" as const, strict: false, ...weather }], input };
      return stream ? openai.responses.stream(body).finalResponse() : openai.responses.create(body);
    };
    const { output } = await respond([question]);
    const [call_id = ""] = output.flatMap((item) => (item.type === "function_call" ? item.call_id : []));
    const given = { type: "function_call_output" as const, call_id, output: "sunny" };
    const { output_text } = await respond([question, ...(output as OpenAI.Responses.ResponseInput), given]);
    expect(output_text).toBe("Booked, and it is sunny.");
    expect(booked).toHaveLength(2);
    expect(model.requests.map(({ messages }) => historyProblem(messages)).filter(Boolean)).toEqual([]);
    // The provider sees its own ids again.
    const ids = model.requests.flatMap(({ messages }) =>
      messages.flatMap((message) => (message.role === "tool" ? message.tool_call_id : [])),
    );
    expect(new Set(ids)).toEqual(new Set(["call_1", "call_2"]));
  },
);

const asksInText = ["book", "weather"]
  .map((tool) => `\`\`\`tool_call\n{"tool": "${tool}", "args": {}}\n\`\`\``)
  .join("\n");

const bookingIn = ({ messages }: ChatRequest) =>
  /booking \d/.exec(messages.map(({ content }) => content).join("\n"))?.[0] ?? null;

test.each<[string, ScriptedTurn]>([
  ["calls stand in the text", (request) => (request.tools ? toolRefusal : (bookingIn(request) ?? asksInText))],
  [
    "calls have the same ids in each of them",
    (request) => {
      const calls = ["book", "weather"].flatMap((name) => asksFor(name, {}, `functions.${name}:0`).tool_calls);
      return bookingIn(request) ?? { text: "", tool_calls: calls };
    },
  ],
  [
    "calls have no ids",
    (request) => {
      const calls = ["book", "weather"].flatMap((name) => asksFor(name, {}, "").tool_calls);
      return bookingIn(request) ?? { text: "", tool_calls: calls };
    },
  ],
])("of two conversations in the same words each has what was done in it, where %s", async (_where, turn) => {
  let bookings = 0;
  const parameters = { type: "object", properties: {} };
  const book = defineTool({ name: "book", description: "Books.", parameters, run: () => `booking ${(bookings += 1)}` });
  await using agent = await runAgentApp(scripted(turn).models, { tools: () => [book] });
  const openai = new OpenAI({ baseURL: `${agent.url}/v1`, apiKey: "none", maxRetries: 0 });
  const complete = async (messages: OpenAI.ChatCompletionMessageParam[]) => {
    const tools = [{ type: "function" as const, function: { name: "weather" } }];
    const completion = await openai.chat.completions.create({ model: "test/model", tools, messages });
    return completion.choices[0]?.message as OpenAI.ChatCompletionMessage;
  };
  const question = { role: "user" as const, content: "Book, and tell me the weather." };
  const first = await complete([question]);
  const second = await complete([question]);
  for (const [reply, booking] of [
    [first, "booking 1"],
    [second, "booking 2"],
  ] as const) {
    const result = { role: "tool" as const, tool_call_id: reply.tool_calls?.[0]?.id ?? "", content: "sunny" };
    expect((await complete([question, reply, result])).content).toBe(booking);
  }
});

test("marks that move from turn to turn do not make another conversation of it", async () => {
  const booked: unknown[] = [];
  await using agent = await runAgentApp(scripted(booksThenAsks).models, { tools: () => [bookTool(booked)] });
  const tools = [{ type: "function", function: { name: "weather" } }];
  const ask = async (messages: object[]) =>
    (await (await post(`${agent.url}/v1/chat/completions`, { tools, messages })).json()) as OpenAI.ChatCompletion;
  const question = { role: "user", content: [{ type: "text", text: "Book, and tell me the weather." }] };
  const cache_control = { type: "ephemeral" };
  const asked = await ask([{ ...question, cache_control }]);
  const tool_call_id = asked.choices[0]?.message.tool_calls?.[0]?.id;
  const result = { role: "tool", tool_call_id, content: "sunny", cache_control };
  const answered = await ask([question, asked.choices[0]?.message ?? {}, result]);
  expect(answered.choices[0]?.message.content).toBe("Booked, and it is sunny.");
  expect(booked).toHaveLength(1);
});
