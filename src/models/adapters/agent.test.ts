import { expect, test } from "vitest";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import type { Behaviour } from "../../../test/support/fake-provider/behaviour.ts";
import { html, raw } from "../../../test/support/fake-provider/malformed-replies.ts";
import { json } from "../../../test/support/fake-provider/replies.ts";
import { ServiceError, type ErrorCode } from "../../contract/errors/errors.ts";
import type { ChatRequest } from "../../contract/ports/chat-model.ts";
import { toProblem } from "../../contract/errors/problem.ts";
import { createChatModel } from "../protocols/create-chat-model.ts";
import { createOutbound } from "../outbound/create-outbound.ts";

const { signal } = new AbortController();

const agentMessage = {
  content: "It is sunny.",
  additional_kwargs: { refusal: null },
  response_metadata: {
    token_usage: {
      completion_tokens: 4,
      prompt_tokens: 20,
      total_tokens: 24,
      completion_tokens_details: null,
      prompt_tokens_details: null,
    },
    model_name: "weather-7b",
    system_fingerprint: "fp_1",
    id: "chatcmpl-9",
    service_tier: null,
    finish_reason: "stop",
    logprobs: null,
  },
  type: "ai",
  name: null,
  id: "run-1",
  example: false,
  tool_calls: [],
  invalid_tool_calls: [],
  usage_metadata: {
    input_tokens: 20,
    output_tokens: 4,
    total_tokens: 24,
    input_token_details: {},
    output_token_details: {},
  },
};

const hello: ChatRequest = { messages: [{ role: "user", content: "Hello" }] };

async function ask(behaviour: Behaviour, request = hello, { path = "", modelId = "hub/model" } = {}) {
  await using provider = await startFakeProvider({ behaviour });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const model = createChatModel({ outbound, protocol: "agent", endpoint: `${provider.origin}${path}`, modelId });
  return { reply: await model(request, { signal }), sent: provider.requests };
}

test("sends the contract's request and reads the message as the reply", async () => {
  const { reply, sent } = await ask(json(agentMessage), {
    messages: [
      { role: "user", content: "Weather?" },
      { role: "assistant", content: "", tool_calls: [{ id: "c1", name: "weather", arguments: "{}" }] },
      { role: "tool", tool_call_id: "c1", name: "weather", content: "Sunny" },
    ],
    parameters: { temperature: 0 },
  });
  expect(sent).toMatchObject([{ method: "POST", path: "/", headers: { "x-model-id": "hub/model" } }]);
  expect(sent[0]?.body).toEqual({
    messages: [
      { type: "human", content: "Weather?" },
      { type: "ai", content: "" },
      { type: "tool", content: "Sunny", name: "weather" },
    ],
  });
  expect(reply).toMatchObject({
    ok: true,
    text: "It is sunny.",
    model: "weather-7b",
    completion_id: "chatcmpl-9",
    system_fingerprint: "fp_1",
    finish_reason: "stop",
    usage: { prompt_tokens: 20, completion_tokens: 4, total_tokens: 24 },
    metadata: null,
  });
});

test("keeps the path of the endpoint", async () => {
  const { sent } = await ask(json(agentMessage), hello, { path: "/agents/support?v=2" });
  expect(sent[0]?.path).toBe("/agents/support?v=2");
});

test("puts a marked system prompt before the first human message", async () => {
  const { sent } = await ask(json(agentMessage), {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "assistant", content: "Welcome" },
      { role: "user", content: "Hello" },
      { role: "user", content: "Again" },
    ],
  });
  expect(sent[0]?.body?.["messages"]).toEqual([
    { type: "ai", content: "Welcome" },
    { type: "human", content: "<system_instructions>\nBe brief.\n</system_instructions>\n\nHello" },
    { type: "human", content: "Again" },
  ]);
});

test("reads labels, usage and pending tool calls", async () => {
  const { response_metadata: _, ...bare } = agentMessage;
  const calls = [{ name: "pay", args: { amount: 3 }, id: "c9", type: "tool_call" }];
  const passages = { context: [{ text: "Paying takes a day.", id: "p1" }] };
  const labelled = { ...bare, ...passages, generated_metadata: { intent: "pay" }, tool_calls: calls };
  const { reply } = await ask(json(labelled));
  expect(reply).toMatchObject({
    ok: true,
    model: "hub/model",
    completion_id: "run-1",
    finish_reason: "tool_calls",
    usage: { prompt_tokens: 20, completion_tokens: 4, total_tokens: 24 },
    tool_calls: [{ id: "c9", name: "pay", arguments: '{"amount":3}' }],
    metadata: { intent: "pay" },
    ...passages,
  });
  const kwargs = { refusal: null, metadata: { mood: "good" } };
  expect((await ask(json({ ...agentMessage, additional_kwargs: kwargs }))).reply).toMatchObject({
    metadata: { mood: "good" },
  });
  expect((await ask(json({ type: "ai", content: "Just this" }))).reply).toMatchObject({
    ok: true,
    text: "Just this",
    usage: null,
  });
});

const problem = (code: ErrorCode) => {
  const body = toProblem(new ServiceError(code, "text of the other side"), "r1");
  return raw(JSON.stringify(body), { "content-type": "application/problem+json" }, body.status);
};

test.each<[ErrorCode, ErrorCode]>([
  ["model_not_found", "model_not_found"],
  ["model_id_invalid", "model_not_found"],
  ["context_length_exceeded", "context_length_exceeded"],
  ["upstream_timeout", "upstream_timeout"],
  ["upstream_auth", "upstream_auth"],
  ["upstream_rate_limited", "upstream_rate_limited"],
  ["auth_missing", "upstream_auth"],
  ["rate_limited", "upstream_rate_limited"],
  ["overloaded", "upstream_error"],
  ["internal_error", "upstream_error"],
  ["validation_failed", "upstream_rejected"],
  ["host_not_allowed", "upstream_rejected"],
])("translates the agent's problem %s to %s", async (theirs, ours) => {
  const { reply } = await ask(problem(theirs));
  expect(reply).toMatchObject({ ok: false, error: { code: ours, tries: 1 } });
  expect(JSON.stringify(reply)).not.toContain("text of the other side");
});

test.each(["model_not_found", "model_id_invalid"] as const)(
  "reports %s of an agent as an unknown model",
  async (code) => {
    const { reply } = await ask(problem(code));
    expect(reply).toMatchObject({ error: { detail: expect.stringContaining("the agent does not know this model") } });
  },
);

test("does not retry a lasting failure of the agent", async () => {
  await using provider = await startFakeProvider({ behaviour: problem("upstream_auth") });
  await using outbound = createOutbound();
  const model = createChatModel({ outbound, protocol: "agent", endpoint: provider.origin, modelId: "a/b" });
  expect(await model(hello, { signal })).toMatchObject({ ok: false, error: { upstream_status: 502, tries: 1 } });
});

test("refuses an answer that is not an agent's message", async () => {
  for (const behaviour of [html, json([]), json({}), json({ content: null }), raw("")]) {
    expect((await ask(behaviour)).reply).toMatchObject({ ok: false, error: { code: "upstream_invalid_reply" } });
  }
});

test("refuses a model id that no header can carry, without a call", async () => {
  for (const modelId of ["é", "a\r\nx: y", "a b"]) {
    const { reply, sent } = await ask(json(agentMessage), hello, { modelId });
    expect(reply).toMatchObject({ ok: false, error: { code: "model_not_found", tries: 0 } });
    expect(sent).toEqual([]);
  }
});

test("puts names into the text, because only tools have names in the contract", async () => {
  const { sent } = await ask(json(agentMessage), { messages: [{ role: "user", name: "alice", content: "Hi" }] });
  expect(sent[0]?.body).toEqual({ messages: [{ type: "human", content: "alice: Hi" }] });
});

test("refuses pictures, without a call", async () => {
  const parts = [{ type: "image", url: "https://example.com/cat.png" } as const];
  const { reply, sent } = await ask(json(agentMessage), { messages: [{ role: "user", content: "[image]", parts }] });
  expect(reply).toMatchObject({
    ok: false,
    error: { code: "upstream_rejected", detail: expect.stringContaining("pictures") },
  });
  expect(sent).toEqual([]);
});

const runLog = {
  log: [
    { type: "run-start", at: 1 },
    {
      type: "model-call",
      reply: {
        ok: true,
        tool_calls: [
          { id: "a", name: "calculator", arguments: '{"expression":"6*7"}' },
          { id: "b", name: "nothing", arguments: '{"x"' },
        ],
      },
    },
    {
      type: "tool-call",
      id: "a",
      name: "calculator",
      args: { expression: "6*7" },
      ok: true,
      result: "42",
      duration_ms: 3,
    },
    { type: "model-call", reply: { ok: true, tool_calls: [{ id: "c", name: "pay", arguments: "{}" }] } },
    { type: "tool-call", id: "c", name: "pay", args: {}, ok: false, result: "refused", duration_ms: 1 },
    { type: "run-end" },
  ],
};

test("reads the tool calls of our own backend from the log of its run", async () => {
  const { reply, sent } = await ask((call) => {
    if (call.request.method === "GET") return json(runLog)(call);
    call.response.setHeader("x-run-id", "0198-abc").setHeader("x-tool-calls", "2");
    return json(agentMessage)(call);
  });
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /", "GET /agent/runs/0198-abc"]);
  expect(reply).toMatchObject({
    text: "It is sunny.",
    tool_calls: [],
    reported_calls: [
      { id: "a", name: "calculator", arguments: '{"expression":"6*7"}', result: "42", ms: 3 },
      { id: "b", name: "nothing", arguments: '{"x"' },
      { id: "c", name: "pay", arguments: "{}", error: "refused", ms: 1 },
    ],
  });
});

test("a log that cannot be read leaves the calls of the message", async () => {
  const invalid_tool_calls = [{ id: "x", name: "pay", args: "{", error: "not JSON", type: "invalid_tool_call" }];
  const { reply } = await ask((call) => {
    if (call.request.method === "GET") return json({}, 404)(call);
    call.response.setHeader("x-run-id", "0198-abc").setHeader("x-tool-calls", "1");
    return json({ ...agentMessage, invalid_tool_calls })(call);
  });
  expect(reply).toMatchObject({
    ok: true,
    reported_calls: [{ id: "x", name: "pay", arguments: "{", error: "not JSON" }],
  });
});

test("reads the tool calls in the stream of any agent", async () => {
  const events: readonly [string, object][] = [
    ["run-start", { run_id: "r", model_resolved: "m" }],
    ["tool-start", { id: "a", name: "weather", args: { city: "Rome" } }],
    ["tool-end", { id: "a", name: "weather", args: { city: "Rome" }, ok: true, result: "sunny", duration_ms: 2 }],
    ["tool-start", { id: "b", name: "pay", args: {} }],
    ["text-delta", { call: 2, text: "It is sunny." }],
    ["run-end", { run_id: "r", message: agentMessage }],
  ];
  const stream = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join("");
  await using provider = await startFakeProvider({ behaviour: raw(stream, { "content-type": "text/event-stream" }) });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const model = createChatModel({ outbound, protocol: "agent", endpoint: provider.origin, modelId: "a/b" });
  const reply = await model(hello, { signal, stream: true });
  expect(provider.requests[0]?.headers["accept"]).toContain("text/event-stream");
  expect(reply).toMatchObject({
    ok: true,
    text: "It is sunny.",
    first_token_ms: expect.any(Number) as number,
    reported_calls: [
      { id: "a", name: "weather", arguments: '{"city":"Rome"}', result: "sunny", ms: 2 },
      { id: "b", name: "pay", arguments: "{}" },
    ],
  });
});

test("a stream that ends with the agent's problem is its failure", async () => {
  const problemBody = toProblem(new ServiceError("upstream_timeout", "text of the other side"), "r1");
  const stream = `event: error\ndata: ${JSON.stringify(problemBody)}\n\n`;
  await using provider = await startFakeProvider({ behaviour: raw(stream, { "content-type": "text/event-stream" }) });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const model = createChatModel({ outbound, protocol: "agent", endpoint: provider.origin, modelId: "a/b" });
  expect(await model(hello, { signal, stream: true })).toMatchObject({
    ok: false,
    error: { code: "upstream_timeout" },
  });
});
