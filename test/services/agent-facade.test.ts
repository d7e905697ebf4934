import { createHash } from "node:crypto";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { historyProblem } from "../../src/agent/testing/history-problem.ts";
import { asksFor, failsWith, refusesTools, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { defineTool } from "../../src/agent/tool.ts";
import type { ChatRequest } from "../../src/contract/model.ts";
import { ChatCompletion } from "../../src/contract/openai-chat.ts";
import { ResponseBody } from "../../src/contract/openai-responses.ts";
import { sampleReply } from "../../src/contract/testing/sample-reply.ts";
import { createRouter } from "../../src/models/routing/choose-provider.ts";
import { createRouteLimits } from "../../src/models/routing/route-limits.ts";
import { openaiChat } from "../../src/models/adapters/openai-chat.ts";
import { createOutbound } from "../../src/models/outbound/create-outbound.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { send } from "../support/http.ts";
import { runServices } from "../support/services.ts";
import { human, parseEvents, post, readEvents, runAgentApp, scripted } from "./agent-support.ts";

const ask = (stream: boolean) => ({ model: "test/model", stream, messages: [{ role: "user", content: "Hi" }] });

test("an evaluation of the service's root, with the default protocol, reaches the agent", async () => {
  await using agent = await runAgentApp(scripted("Hello!").models);
  await using outbound = createOutbound({ policy: "local" });
  const model = openaiChat({ outbound, endpoint: agent.url, modelId: "test/model" });
  const { signal } = new AbortController();
  const reply = await model({ messages: [{ role: "user", content: "Hi" }] }, { signal });
  expect(reply).toMatchObject({ ok: true, text: "Hello!", model: "test/model", finish_reason: "stop" });
});

test("the keyless services evaluate their own agent through it", async () => {
  await using services = await runServices();
  const { body } = await send(`${services.evaluation}/evaluate`, {
    body: {
      test_batch: {
        id: "self",
        interactions: [{ id: "1", user_message: "What is 17 * 23?", reference_reply: "17 * 23 is 391." }],
      },
      endpoint: services.agent,
      model_id: "demo/scripted",
    },
  });
  expect(body).toMatchObject({
    message: "Evaluation completed: 1 interaction",
    demo: true,
    results: { scenarios: [{ attempts: [{ interactions: [{ agent_reply: "17 * 23 is 391." }] }] }] },
  });
});

test("every wire says which run and model it was; totals where the headers come last", async () => {
  await using agent = await runAgentApp(scripted("Hi").models);
  const paths = ["/v1/chat/completions", "/v1/responses"];
  for (const path of paths) {
    const body = path.endsWith("responses") ? { model: "test/model", input: "Hi" } : ask(false);
    const { headers } = await post(`${agent.url}${path}`, body);
    expect(headers.get("x-model-resolved")).toBe("test/model");
    expect(headers.get("x-run-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get("x-usage-total-tokens")).toBe("15");
  }
  const { runs } = (await send(`${agent.url}/agent/runs`)).body as { runs: { wire: string }[] };
  expect(runs.map(({ wire }) => wire)).toEqual(["openai-responses", "openai-chat"]);
});

test("a run that met its limit finishes with length; the exact reason is in a header", async () => {
  const calls: ScriptedTurn = { tool_calls: [{ id: "c", name: "calculator", arguments: '{"expression":"1"}' }] };
  const turn: ScriptedTurn = ({ tools }) => (tools ? calls : "Enough.");
  await using agent = await runAgentApp(scripted(turn).models, { limits: { steps: 2 } });
  const response = await post(`${agent.url}/v1/chat/completions`, ask(false));
  expect(response.headers.get("x-finish-reason")).toBe("step_limit");
  expect(await response.json()).toMatchObject({
    choices: [{ finish_reason: "length", message: { content: "Enough." } }],
  });
});

test("parameters and unknown fields reach the provider; ours do not", async () => {
  const { models, model } = scripted("Hi");
  await using agent = await runAgentApp(models);
  const body = {
    ...ask(false),
    temperature: 0.5,
    max_tokens: 10,
    stop: ["x"],
    response_format: { type: "json_object" },
    n: 1,
    store: true,
  };
  await post(`${agent.url}/v1/chat/completions`, body);
  expect(model.requests[0]?.parameters).toEqual({
    temperature: 0.5,
    max_tokens: 10,
    stop: ["x"],
    extra: { response_format: { type: "json_object" } },
  });
});

test("the names of those who speak reach the model and the log", async () => {
  const { models, model } = scripted("Hi both");
  await using agent = await runAgentApp(models);
  const messages = [
    { role: "developer", name: "boss", content: "Be kind." },
    { role: "user", name: "alice", content: "Hi" },
    { role: "assistant", name: "triage", content: "Hello." },
    { role: "user", name: "bob", content: [{ type: "text", text: "Hi too" }] },
    { role: "user", name: null, content: "And me" },
  ];
  const { headers } = await post(`${agent.url}/v1/chat/completions`, { model: "test/model", messages });
  const said = [
    { role: "system", name: "boss", content: "Be kind." },
    { role: "user", name: "alice", content: "Hi" },
    { role: "assistant", name: "triage", content: "Hello." },
    { role: "user", name: "bob", content: "Hi too" },
    { role: "user", content: "And me" },
  ];
  expect(model.requests[0]?.messages).toEqual(said);
  const { body } = await send(`${agent.url}/agent/runs/${headers.get("x-run-id")}`);
  expect(body).toMatchObject({ log: [{ messages: said }, {}, {}] });
});

test.each([false, true])("log probabilities reach the client (stream: %s)", async (stream) => {
  const logprobs = { content: [{ token: "Hi", logprob: -0.5, bytes: null, top_logprobs: [] }], refusal: null };
  await using agent = await runAgentApp(scripted({ text: "Hi", logprobs }).models);
  const client = new OpenAI({ baseURL: `${agent.url}/v1`, apiKey: "none", maxRetries: 0 });
  const body = { model: "test/model", messages: [{ role: "user" as const, content: "Hi" }], logprobs: true };
  const completion = stream
    ? await client.chat.completions.stream(body).finalChatCompletion()
    : await client.chat.completions.create(body);
  expect(completion.choices[0]?.logprobs).toMatchObject(logprobs);
});

test.each([false, true])("labels that the model gave its reply reach the client (stream: %s)", async (stream) => {
  const metadata = { intent: "billing", sentiment: "negative" };
  await using agent = await runAgentApp(scripted({ text: "Sorry.", metadata }).models);
  await using outbound = createOutbound({ policy: "local" });
  const through = openaiChat({ outbound, endpoint: `${agent.url}/v1`, modelId: "test/model" });
  const { signal } = new AbortController();
  const reply = await through({ messages: [{ role: "user", content: "Hi" }] }, { signal, stream });
  expect(reply).toMatchObject({ ok: true, text: "Sorry.", metadata });
});

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

test("what a client says about how its tools are called reaches the provider, beside tools only", async () => {
  await using provider = await startFakeProvider();
  await using outbound = createOutbound({ policy: "local" });
  const model = openaiChat({ outbound, endpoint: provider.url, modelId: "m" });
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

test("of a client's tool only the name must be told, on either interface", async () => {
  const { models, model } = scripted("Hi", "Hi");
  await using agent = await runAgentApp(models, { tools: () => [] });
  const tool = { name: "w", description: null, parameters: null, strict: null };
  await post(`${agent.url}/v1/chat/completions`, { ...ask(false), tools: [{ type: "function", function: tool }] });
  const input = { model: "test/model", input: "Hi" };
  await post(`${agent.url}/v1/responses`, { ...input, tools: [{ type: "function", ...tool }] });
  const offered = [{ name: "w", description: "", parameters: { type: "object", properties: {} } }];
  expect(model.requests.map(({ tools }) => tools)).toEqual([offered, offered]);
});

test("a refusal is told as one, and is taken back as what the model said", async () => {
  const { models, model } = scripted({ text: "", refusal: "I can't help with that." });
  await using agent = await runAgentApp(models);
  const url = `${agent.url}/v1/responses`;
  const first = { model: "test/model", input: "How do I pick a lock?" };
  const { output } = ResponseBody.parse(await (await post(url, first)).json());
  const part = { type: "refusal", refusal: "I can't help with that." };
  expect(output).toMatchObject([{ content: [part] }]);

  const again = [
    { role: "user", content: first.input },
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "…" },
    ...output,
    { role: "user", content: "Why?" },
  ];
  expect((await post(url, { ...first, input: again })).status).toBe(200);
  const messages = [
    { role: "user", content: first.input },
    { role: "assistant", content: [part] },
    { role: "user", content: "Why?" },
  ];
  const chat = await post(`${agent.url}/v1/chat/completions`, { model: "test/model", messages });
  const { choices } = ChatCompletion.parse(await chat.json());
  expect(choices[0]?.message).toMatchObject({ content: null, refusal: "I can't help with that." });
  const said = [{ role: "user" }, { role: "assistant", content: "I can't help with that." }, { role: "user" }];
  expect(model.requests.slice(1)).toMatchObject([{ messages: said }, { messages: said }]);

  const events = parseEvents(await (await post(url, { ...first, stream: true })).text());
  expect(events.map(({ event }) => event).slice(2, -1)).toEqual([
    "response.output_item.added",
    "response.content_part.added",
    "response.refusal.delta",
    "response.refusal.done",
    "response.content_part.done",
    "response.output_item.done",
  ]);
  expect(events.map(({ data }) => data).slice(3, 7)).toMatchObject([
    { content_index: 0, part: { type: "refusal", refusal: "" } },
    { content_index: 0, delta: "I can't help with that." },
    { content_index: 0, refusal: "I can't help with that." },
    { content_index: 0, part },
  ]);
});

test("a refusal after some words is a second part of the streamed message", async () => {
  const refuses: ScriptedTurn = async (_request, { onText }) => {
    onText?.("Well. ");
    return { ...sampleReply("Well. "), refusal: "No." };
  };
  await using agent = await runAgentApp(scripted(refuses).models);
  const answer = await post(`${agent.url}/v1/responses`, { model: "test/model", input: "Hi", stream: true });
  const events = parseEvents(await answer.text());
  const parts = events.filter(({ event }) => event.startsWith("response.content_part."));
  expect(parts.map(({ event, data }) => [event, data["content_index"]])).toEqual([
    ["response.content_part.added", 0],
    ["response.content_part.done", 0],
    ["response.content_part.added", 1],
    ["response.content_part.done", 1],
  ]);
});

test("an item of the input that cannot be understood is told what it may be", async () => {
  await using agent = await runAgentApp(scripted("Hi").models);
  const answer = await post(`${agent.url}/v1/responses`, { model: "test/model", input: [{ type: "image_call" }] });
  expect([answer.status, await answer.json()]).toMatchObject([
    422,
    {
      error: {
        param: "input[0].type",
        message: '/input/0/type must be one of "message", "function_call", "function_call_output", "reasoning"',
      },
    },
  ]);
});

test("a client that counts on kept items is told to send them", async () => {
  const { models, model } = scripted("Hi");
  await using agent = await runAgentApp(models);
  const input = [
    { role: "user", content: "Hi" },
    { type: "item_reference", id: "msg_1" },
  ];
  const answer = await post(`${agent.url}/v1/responses`, { model: "test/model", input });
  expect([answer.status, await answer.json()]).toMatchObject([
    422,
    {
      error: { param: "input[1].type", message: expect.stringContaining("nothing is kept here. Send the item itself") },
    },
  ]);
  expect(model.requests).toEqual([]);
});

test.each([
  ["/v1/chat/completions", ask(false)],
  ["/v1/responses", { model: "test/model", input: "Hi" }],
  ["/agent/ui-messages", { model: "test/model", messages: [] }],
  ["/agent/ag-ui", { threadId: "one", runId: "1", messages: [] }],
  ["/mcp", {}],
])("%s refuses a thread, which it cannot keep", async (path, body) => {
  const { models, model } = scripted("Hi");
  await using agent = await runAgentApp(models);
  const answer = await post(`${agent.url}${path}`, body, { "x-thread-id": "one" });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("x-thread-id is not possible here");
  expect(model.requests).toEqual([]);
});

test("a fine-tuned model with two names is listed once", async () => {
  const { models, model } = scripted();
  const id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
  const studio = { support: { id, model }, "support-old": { id, model } };
  await using agent = await runAgentApp(models, { router: createRouter({ demo: { hub: models, studio } }) });
  const { body } = await send(`${agent.url}/v1/models`);
  expect(body).toMatchObject({ data: [{ id, name: "support" }, { id: "test/model" }] });
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
  expect(await refused.json()).toMatchObject({ error: { message: '/tool_choice names "rocket", which is no tool' } });
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
  ["calls stand in the text", (request) => (request.tools ? refusesTools : (bookingIn(request) ?? asksInText))],
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

test("a failure after the first word is the last event, in OpenAI's shape, without [DONE]", async () => {
  const breaks: ScriptedTurn = (_request, { onText }) => {
    onText?.("Hal");
    return failsWith("upstream_reset");
  };
  await using agent = await runAgentApp(scripted(breaks).models);
  const response = await post(`${agent.url}/v1/chat/completions`, ask(true));
  expect(response.status).toBe(200);
  const events = parseEvents(await response.text());
  expect(events.at(-1)?.data).toMatchObject({ error: { code: "upstream_reset", type: "server_error" } });
  const failed = await post(`${agent.url}/v1/responses`, { model: "test/model", input: "Hi", stream: true });
  expect(parseEvents(await failed.text()).slice(-2)).toMatchObject([
    { event: "error", data: { type: "error", code: "upstream_reset", error: { code: "upstream_reset" } } },
    {
      event: "response.failed",
      data: { type: "response.failed", response: { status: "failed", error: { code: "upstream_reset" } } },
    },
  ]);
});

test("a client that goes away from a stream closes the call to the model", async () => {
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const slow: ScriptedTurn = async (_request, { signal, onText }) => {
    onText?.("Wait");
    signal.addEventListener("abort", () => aborted.resolve());
    started.resolve();
    await aborted.promise;
    throw signal.reason;
  };
  await using agent = await runAgentApp(scripted(slow).models);
  const controller = new AbortController();
  const response = await post(`${agent.url}/v1/chat/completions`, ask(true), {}, controller.signal);
  const read = response.text();
  await started.promise;
  controller.abort();
  await expect(read).rejects.toThrow(/abort/i);
  await aborted.promise;
});

test("runs and threads are seen only by the key they belong to", async () => {
  const keys = ["one", "two"].map((name) => ({
    name,
    sha256: createHash("sha256").update(`key-${name}`).digest("hex"),
    scopes: new Set(["agent"] as const),
  }));
  await using agent = await runAgentApp(scripted("Hi").models, { apiKeys: keys });
  const one = { authorization: "Bearer key-one" };
  const two = { authorization: "Bearer key-two" };
  const answer = await post(agent.url, human("Hi"), { ...one, "x-thread-id": "t", "idempotency-key": "k" });
  const run = `${agent.url}/agent/runs/${answer.headers.get("x-run-id")}`;
  expect((await send(run, { headers: one })).status).toBe(200);
  for (const url of [run, `${agent.url}/agent/threads/t`]) {
    expect((await send(url, { headers: two })).status).toBe(404);
  }
  expect((await send(`${run}/replay`, { method: "POST", headers: two })).status).toBe(404);
  const other = await post(agent.url, human("Other"), { ...two, "idempotency-key": "k" });
  expect(other.status).toBe(200);
  expect((await send(`${agent.url}/v1/models`, { headers: one })).status).toBe(403);
  expect((await send(`${agent.url}/v1/models`)).body).toMatchObject({ error: { type: "authentication_error" } });
});

test("how tools are used and what waits can be looked up", async () => {
  const refuses: ScriptedTurn = ({ tools }) => (tools ? refusesTools : "Hi");
  const routeLimits = createRouteLimits({ concurrency: 1 });
  const router = createRouter({ demo: { hub: scripted(refuses).models, studio: {} } }, { limits: routeLimits });
  await using agent = await runAgentApp({}, { router, routeLimits });
  expect((await post(agent.url, human("Hi"))).status).toBe(200);
  expect((await send(`${agent.url}/agent/upstreams`)).body).toMatchObject({
    breakers: [],
    routes: [],
    tool_support: [{ model_id: "test/model", mode: "prompted" }],
  });
});

test("what a client wants its provider to keep reaches it, in parts, messages and tools", async () => {
  const { models, model } = scripted(asksFor("weather", {}, "call_1"), "Sunny.");
  await using agent = await runAgentApp(models);
  const cache_control = { type: "ephemeral" };
  const body = {
    tools: [{ type: "function", function: { name: "weather" }, cache_control }],
    messages: [
      {
        role: "system",
        content: [
          { type: "text", text: "Long rules.", cache_control },
          { type: "text", text: " Now." },
        ],
      },
      { role: "user", content: "Weather?", cache_control },
    ],
  };
  await (await post(`${agent.url}/v1/chat/completions`, body)).json();
  expect(model.requests[0]?.messages).toEqual([
    { role: "system", content: "Long rules. Now.", cache_marks: [{ end: 11, control: cache_control }] },
    { role: "user", content: "Weather?", cache_marks: [{ end: 8, control: cache_control }] },
  ]);
  expect(model.requests[0]?.tools?.at(-1)).toMatchObject({ name: "weather", cache_control });
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

test("what an endpoint does not count is not told as 0", async () => {
  const counted = { text: "Let me see.", ...asksFor("calculator", { expression: "1 + 1" }) };
  await using agent = await runAgentApp(scripted(counted, { text: "2", usage: null }).models);
  const ask = async (path: string, body: object, headers = {}) => post(`${agent.url}${path}`, body, headers);
  const question = { messages: [{ role: "user", content: "1 + 1?" }] };

  const completion = await ask("/v1/chat/completions", question);
  expect(completion.headers.has("x-usage-total-tokens")).toBe(false);
  expect(completion.headers.get("x-model-calls")).toBe("2");
  expect(await completion.json()).not.toHaveProperty("usage");

  await using streaming = await runAgentApp(scripted({ text: "2", usage: null }).models);
  const options = { stream: true, stream_options: { include_usage: true } };
  const chunks = await readEvents(await post(`${streaming.url}/v1/chat/completions`, { ...question, ...options }));
  expect(chunks.filter(({ data }) => data["usage"])).toEqual([]);
  expect(chunks.at(-1)?.event).toBe("[DONE]");
  const response = await post(`${streaming.url}/v1/responses`, { input: "1 + 1?" });
  expect(await response.json()).toMatchObject({ status: "completed", usage: null });
  const events = await readEvents(await post(streaming.url, human("1 + 1?"), { accept: "text/event-stream" }));
  // The contract has no word for it in the message.
  expect(events.at(-1)?.data).toMatchObject({ usage: null, message: { usage_metadata: { total_tokens: 0 } } });
  const parts = [{ type: "text", text: "1 + 1?" }];
  const chat = await post(`${streaming.url}/agent/ui-messages`, { messages: [{ id: "u", role: "user", parts }] });
  expect((await readEvents(chat)).at(-2)?.data["messageMetadata"]).not.toHaveProperty("usage");
  const run = { threadId: "t", runId: "r", messages: [{ id: "u", role: "user", content: "1 + 1?" }] };
  expect((await readEvents(await post(`${streaming.url}/agent/ag-ui`, run))).at(-1)?.data).not.toHaveProperty("usage");
});
