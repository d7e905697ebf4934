import OpenAI from "openai";
import { expect, test } from "vitest";
import { asksFor, failsWith, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { createRouter } from "../../src/models/routing/router.ts";
import { createChatModel } from "../../src/models/protocols/create-chat-model.ts";
import { createOutbound } from "../../src/models/outbound/create-outbound.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { send } from "../support/http.ts";
import { runServices } from "../support/services.ts";
import { ask, human, parseEvents, post, readEvents, runAgentApp, scripted } from "./agent-support.ts";

test("an evaluation of the service's root, with the default protocol, reaches the agent", async () => {
  await using agent = await runAgentApp(scripted("Hello!").models);
  await using outbound = createOutbound({ policy: "local" });
  const model = createChatModel({ protocol: "openai-chat", outbound, endpoint: agent.url, modelId: "test/model" });
  const { signal } = new AbortController();
  const reply = await model({ messages: [{ role: "user", content: "Hi" }] }, { signal });
  expect(reply).toMatchObject({ ok: true, text: "Hello!", model: "test/model", finish_reason: "stop" });
});

test("the keyless services evaluate their own agent through it", async () => {
  await using services = await runServices({ AGENT_TOOLS: "calculator" });
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

test("built-in tools that no setting names are offered on request only", async () => {
  await using provider = await startFakeProvider();
  await using services = await runServices({ HUB_BASE_URL: provider.url });
  const namesFor = async (path: string, body: object, headers: Record<string, string> = {}) => {
    await send(`${services.agent}${path}`, { body, headers });
    const { tools = [] } = (provider.requests.at(-1)?.body ?? {}) as { tools?: { function: { name: string } }[] };
    return tools.map((tool) => tool.function.name);
  };
  const messages = [{ role: "user", content: "Hi" }];
  const chat = ["/v1/chat/completions", { model: "some/model", messages }] as const;
  const response = ["/v1/responses", { model: "some/model", input: "Hi" }] as const;
  expect([await namesFor(...chat), await namesFor(...response)]).toEqual([[], []]);
  expect(await namesFor(...chat, { "x-agent-tools": "calculator" })).toEqual(["calculator"]);
  const all = ["current_time", "calculator", "web_fetch"];
  expect(await namesFor(...response, { "x-agent-tools": "all" })).toEqual(all);
  const own = { messages: [{ type: "human", content: "Hi" }] };
  expect(await namesFor("/", own, { "x-model-id": "some/model" })).toEqual(all);
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
  const through = createChatModel({
    protocol: "openai-chat",
    outbound,
    endpoint: `${agent.url}/v1`,
    modelId: "test/model",
  });
  const { signal } = new AbortController();
  const reply = await through({ messages: [{ role: "user", content: "Hi" }] }, { signal, stream });
  expect(reply).toMatchObject({ ok: true, text: "Sorry.", metadata });
});

test.each([
  ["/v1/chat/completions", ask(false)],
  ["/agent/ui-messages", { model: "test/model", messages: [] }],
  ["/agent/ag-ui", { threadId: "one", runId: "1", messages: [] }],
  ["/mcp", {}],
])("%s refuses a thread, which it cannot keep", async (path, body) => {
  const { models, model } = scripted("Hi");
  await using agent = await runAgentApp(models);
  const answer = await post(`${agent.url}${path}`, body, { "x-thread-id": "one" });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("x-thread-id is not supported here");
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

test("cache marks of a client reach the provider, in parts, messages and tools", async () => {
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

test("tokens that an endpoint does not count are not reported as 0", async () => {
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
