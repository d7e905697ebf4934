import { expect, test } from "vitest";
import type { ChatMessage, ChatRequest } from "../../../contract/ports/chat-model.ts";
import type { Behaviour } from "../../../../test/support/fake-provider/behaviour.ts";
import {
  contextTooLong,
  modelNotFound,
  rateLimited,
  status,
} from "../../../../test/support/fake-provider/error-statuses.ts";
import { html, raw } from "../../../../test/support/fake-provider/malformed-replies.ts";
import { json } from "../../../../test/support/fake-provider/replies.ts";
import { startFakeProvider } from "../../../../test/support/fake-provider.ts";
import { createChatModel } from "../../protocols/create-chat-model.ts";
import { createOutbound } from "../../outbound/create-outbound.ts";

const hello: ChatRequest = { messages: [{ role: "user", content: "Hello" }] };

/** An answer as the API sends it, around these output items. */
function response(output: readonly unknown[], fields: Record<string, unknown> = {}) {
  return {
    id: "resp_68a1",
    object: "response",
    created_at: 1_761_000_000,
    status: "completed",
    error: null,
    incomplete_details: null,
    model: "gpt-5-mini-2025-08-07",
    output,
    parallel_tool_calls: true,
    service_tier: "default",
    text: { format: { type: "text" }, verbosity: "medium" },
    usage: {
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 8 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 3 },
      total_tokens: 27,
    },
    metadata: {},
    ...fields,
  };
}

const reasoning = { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Thinking aloud" }] };
const said = (text: string) => ({
  id: "msg_1",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

async function ask(behaviour: Behaviour, request = hello, { path = "/v1" } = {}) {
  await using provider = await startFakeProvider({ behaviour });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const endpoint = `${provider.origin}${path}`;
  const model = createChatModel({ outbound, protocol: "openai-responses", endpoint, modelId: "gpt-5-mini" });
  const reply = await model(request, { signal: new AbortController().signal });
  return { reply, sent: provider.requests };
}

test("reads a response into a reply with separate reasoning", async () => {
  const { reply, sent } = await ask(json(response([reasoning, said("Good day.")])));
  expect(reply).toEqual({
    ok: true,
    text: "Good day.",
    reasoning: "Thinking aloud",
    refusal: null,
    tool_calls: [],
    finish_reason: "stop",
    usage: {
      prompt_tokens: 20,
      completion_tokens: 7,
      total_tokens: 27,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 3 },
    },
    model: "gpt-5-mini-2025-08-07",
    completion_id: "resp_68a1",
    system_fingerprint: null,
    service_tier: "default",
    logprobs: null,
    metadata: null,
    latency_ms: expect.any(Number),
    first_token_ms: null,
    tries: 1,
  });
  expect(sent[0]?.body).toEqual({
    model: "gpt-5-mini",
    store: false,
    input: [{ role: "user", content: "Hello" }],
  });
});

test.each([
  ["", "/v1/responses"],
  ["/v1/", "/v1/responses"],
  ["/openai/v1?api-version=1", "/openai/v1/responses?api-version=1"],
  ["/v1/responses", "/v1/responses"],
  ["/v1/chat/completions", "/v1/responses"],
])("calls the endpoint %j at %s", async (path, called) => {
  expect((await ask(json(response([said("Hi")])), hello, { path })).sent[0]?.path).toBe(called);
});

test("writes instructions, history, tools, settings and format for the API", async () => {
  const { sent } = await ask(json(response([said("Hi")])), {
    messages: [
      { role: "system", content: "Be kind." },
      { role: "system", content: "Be brief." },
      { role: "user", content: "Weather?" },
      { role: "assistant", content: "", tool_calls: [{ id: "c1", name: "weather", arguments: '{"city":"Paris"}' }] },
      { role: "tool", tool_call_id: "c1", name: "weather", content: "Sunny" },
      { role: "assistant", content: "It is sunny." },
      { role: "user", content: "Thanks" },
    ],
    tools: [{ name: "weather", description: "Tells the weather", parameters: { type: "object" } }],
    tool_choice: "required",
    parameters: {
      temperature: 0,
      top_p: 0.5,
      max_tokens: 100,
      seed: 7,
      stop: ["END"],
      extra: { reasoning: { effort: "low" }, text: { verbosity: "low" }, store: true, input: "no", model: "other" },
    },
    format: { name: "labels", schema: { type: "object" } },
  });
  expect(sent[0]?.body).toEqual({
    model: "gpt-5-mini",
    instructions: "Be kind.\n\nBe brief.",
    input: [
      { role: "user", content: "Weather?" },
      { type: "function_call", call_id: "c1", name: "weather", arguments: '{"city":"Paris"}' },
      { type: "function_call_output", call_id: "c1", output: "Sunny" },
      { role: "assistant", content: "It is sunny." },
      { role: "user", content: "Thanks" },
    ],
    tools: [
      {
        type: "function",
        name: "weather",
        description: "Tells the weather",
        parameters: { type: "object" },
        strict: false,
      },
    ],
    tool_choice: "required",
    temperature: 0,
    top_p: 0.5,
    max_output_tokens: 100,
    reasoning: { effort: "low" },
    store: true,
    text: {
      format: { type: "json_schema", name: "labels", schema: { type: "object" }, strict: true },
      verbosity: "low",
    },
  });
});

const sentWith = async (extra: Record<string, unknown>) => {
  const { sent } = await ask(json(response([said("Hi")])), { ...hello, parameters: { extra } });
  const { model: _, input: __, store: ___, ...fields } = sent[0]?.body ?? {};
  return fields;
};

test("translates fields of chat completions, or leaves them out", async () => {
  const json_schema = { name: "city", description: "A city", schema: { type: "object" }, strict: true };
  const sent = await sentWith({
    reasoning_effort: "low",
    verbosity: "high",
    response_format: { type: "json_schema", json_schema },
    logprobs: true,
    top_logprobs: 2,
    user: "u1",
    service_tier: "flex",
    top_k: 40,
    max_completion_tokens: 9,
    frequency_penalty: 1,
    presence_penalty: 1,
    logit_bias: { 50256: -100 },
    modalities: ["text"],
    prediction: { type: "content", content: "Hi" },
    web_search_options: {},
    stream_options: { include_usage: true },
    messages: [],
    n: 1,
    seed: 1,
    stop: "END",
    function_call: "auto",
  });
  expect(sent).toEqual({
    max_output_tokens: 9,
    reasoning: { effort: "low" },
    text: { verbosity: "high", format: { type: "json_schema", ...json_schema } },
    include: ["message.output_text.logprobs"],
    top_logprobs: 2,
    user: "u1",
    service_tier: "flex",
    top_k: 40,
  });
});

test("prefers fields in the API's own terms", async () => {
  const sent = await sentWith({
    reasoning_effort: "low",
    reasoning: { effort: "high", summary: "auto" },
    response_format: { type: "json_object" },
    text: { format: { type: "text" } },
    logprobs: false,
    include: ["reasoning.encrypted_content"],
  });
  expect(sent).toEqual({
    reasoning: { effort: "high", summary: "auto" },
    text: { format: { type: "text" } },
    include: ["reasoning.encrypted_content"],
  });
  expect(await sentWith({ response_format: { type: "json_object" } })).toEqual({
    text: { format: { type: "json_object" } },
  });
});

test("sends an unanswered call, or a result without a call, as text", async () => {
  const { sent } = await ask(json(response([said("Hi")])), {
    messages: [
      { role: "assistant", content: "Let me see.", tool_calls: [{ id: "c1", name: "weather", arguments: "{}" }] },
      { role: "user", content: "Well?" },
      { role: "tool", tool_call_id: "c1", name: "weather", content: "Sunny" },
    ],
  });
  expect(sent[0]?.body?.["input"]).toEqual([
    { role: "assistant", content: "Let me see.\n[Called the tool weather with {}]" },
    { role: "user", content: "Well?" },
    { role: "user", content: "[The tool weather answered: Sunny]" },
  ]);
});

test("sends pictures in the API's own parts", async () => {
  const picture = { type: "image", url: "https://example.com/cat.png" } as const;
  const parts = [{ type: "text", text: "What is it?" } as const, picture];
  const messages = [{ role: "user", content: "What is it?[image]", parts } as const];
  const { sent } = await ask(json(response([said("A cat")])), { messages });
  expect(sent[0]?.body?.["input"]).toEqual([
    {
      role: "user",
      content: [
        { type: "input_text", text: "What is it?" },
        { type: "input_image", image_url: picture.url, detail: "auto" },
      ],
    },
  ]);
});

test("puts names into the text, because the API has no field for them", async () => {
  const messages = [
    { role: "user", name: "alice", content: "Hi" } as const,
    { role: "assistant", name: "model", content: "Hello." } as const,
  ];
  const { sent } = await ask(json(response([said("Hi")])), { messages });
  expect(sent[0]?.body?.["input"]).toEqual([
    { role: "user", content: "alice: Hi" },
    { role: "assistant", content: "Hello." },
  ]);
});

test("reads the id that a tool result must repeat", async () => {
  const call = { id: "fc_1", type: "function_call", call_id: "call_9", name: "weather", arguments: '{"city":"Rome"}' };
  const again = { ...call, id: "fc_2", call_id: "call_10", arguments: "" };
  expect((await ask(json(response([reasoning, call, again])))).reply).toMatchObject({
    ok: true,
    text: "",
    finish_reason: "tool_calls",
    tool_calls: [
      { id: "call_9", name: "weather", arguments: '{"city":"Rome"}' },
      { id: "call_10", name: "weather", arguments: "{}" },
    ],
  });
});

test("reads a refusal as a reply", async () => {
  const content = [{ type: "refusal", refusal: "I can't help with that." }];
  const { reply } = await ask(json(response([{ ...said(""), content }])));
  expect(reply).toMatchObject({ ok: true, text: "", refusal: "I can't help with that.", finish_reason: "stop" });
});

test.each([
  ["max_output_tokens", "length"],
  ["content_filter", "content_filter"],
  ["max_messages", "max_messages"],
  ["constructor", "constructor"],
  [undefined, "incomplete"],
])("translates the incomplete reason %s to %s", async (reason, finish) => {
  const answer = response([said("Half a")], { status: "incomplete", incomplete_details: reason ? { reason } : null });
  expect((await ask(json(answer))).reply).toMatchObject({ ok: true, text: "Half a", finish_reason: finish });
});

test("reads a filtered response as a refusal", async () => {
  const answer = response([reasoning], { status: "incomplete", incomplete_details: { reason: "content_filter" } });
  const refusal = expect.stringContaining("content filter");
  expect((await ask(json(answer))).reply).toMatchObject({
    ok: true,
    text: "",
    refusal,
    finish_reason: "content_filter",
  });
});

test("asks to raise a token limit that reasoning used up", async () => {
  const answer = response([reasoning], { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
  const { reply } = await ask(json(answer));
  expect(reply).toMatchObject({ ok: false, error: { code: "upstream_invalid_reply" } });
  expect(JSON.stringify(reply)).toContain("raise max_tokens");
});

test("reads labels of the endpoint, not metadata of the request", async () => {
  const answer = json(response([said("Hi")], { metadata: { intent: "greet" } }));
  expect((await ask(answer)).reply).toMatchObject({ metadata: { intent: "greet" } });
  const fingerprint = json(response([said("Hi")], { metadata: { system_fingerprint: "fp_1" } }));
  expect((await ask(fingerprint)).reply).toMatchObject({ metadata: null });
  const sent = { ...hello, parameters: { extra: { metadata: { intent: "greet" } } } };
  expect((await ask(answer, sent)).reply).toMatchObject({ metadata: null });
});

test.each(["custom_tool_call", "shell_call", "local_shell_call", "apply_patch_call", "computer_call"])(
  "nothing but a %s says that no such tool was offered",
  async (type) => {
    const call = { type, id: "x_1", call_id: "call_1", status: "completed", name: "secret", input: "secret" };
    const { reply } = await ask(json(response([reasoning, call])));
    const detail = `The model answered with a ${type}: it was offered no such tool, and only functions can be called here.`;
    expect(reply).toMatchObject({ ok: false, error: { code: "upstream_invalid_reply", detail } });
  },
);

const failed = (error: unknown) => json(response([], { status: "failed", error }));

test.each<[string, Behaviour, string]>([
  ["a failed response", failed({ code: "server_error", message: "secret text" }), "upstream_error"],
  ["a rate limit", failed({ code: "rate_limit_exceeded", message: "secret text" }), "upstream_rate_limited"],
  ["a forbidden prompt", failed({ code: "invalid_prompt", message: "secret text" }), "upstream_rejected"],
  ["a failure without a reason", failed(null), "upstream_error"],
  ["a cancelled response", json(response([], { status: "cancelled" })), "upstream_error"],
  ["a response still under way", json(response([], { status: "in_progress" })), "upstream_error"],
  ["no output", json({ id: "resp_1", status: "completed" }), "upstream_invalid_reply"],
  ["an empty output", json(response([])), "upstream_invalid_reply"],
  ["a chat completion", json({ choices: [{ message: { content: "Hi" } }] }), "upstream_invalid_reply"],
  ["a web page", html, "upstream_invalid_reply"],
  ["an array", raw("[]"), "upstream_invalid_reply"],
  ["an unknown model", modelNotFound, "model_not_found"],
  ["a conversation that is too long", contextTooLong, "context_length_exceeded"],
  ["HTTP 429", rateLimited(), "upstream_rate_limited"],
  ["HTTP 400", status(400, { message: "secret text", code: "unsupported_parameter" }), "upstream_rejected"],
])("fails for %s without repeating the answer", async (_, behaviour, code) => {
  const { reply } = await ask(behaviour);
  expect(reply).toMatchObject({ ok: false, error: { code } });
  expect(JSON.stringify(reply)).not.toContain("secret text");
});

const question = { role: "user", content: "Weather?" } as const;
const tools = [{ name: "weather", description: "", parameters: { type: "object" } }];
const sealed = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" };
const weatherCall = { id: "fc_1", type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" };

/** The call and its result as they are sent. */
const exchanged = [
  { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" },
  { type: "function_call_output", call_id: "call_1", output: "Sunny" },
];

/** Asks for the weather three times, with its own call and a result in between, and gives the bodies that were sent. */
async function turnsOf(behaviour: Behaviour) {
  await using provider = await startFakeProvider({ behaviour });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const model = createChatModel({ outbound, protocol: "openai-responses", endpoint: provider.url, modelId: "m" });
  const { signal } = new AbortController();
  const messages: ChatMessage[] = [question];
  for (let turn = 0; turn < 3; turn += 1) {
    const reply = await model({ messages, tools }, { signal });
    if (!reply.ok) throw new Error(reply.error.detail);
    const { text, tool_calls } = reply;
    messages.push({ role: "assistant", content: text, tool_calls });
    for (const { id } of tool_calls) messages.push({ role: "tool", content: "Sunny", tool_call_id: id });
  }
  await model({ messages }, { signal });
  return provider.requests.map(({ body }) => body ?? {});
}

test("sends reasoning back with the tool calls", async () => {
  const bodies = await turnsOf((exchange) => {
    const isAsked = Array.isArray(exchange.request.body?.["include"]);
    const { encrypted_content: _, ...bare } = sealed;
    return json(response([isAsked ? { ...sealed, status: null } : bare, weatherCall]))(exchange);
  });
  const asked = ["reasoning.encrypted_content"];
  // Asked for once it is known that there is something, and only where calls may follow.
  expect(bodies.map((body) => body["include"])).toEqual([undefined, asked, asked, undefined]);
  expect(bodies[3]?.["input"]).toEqual([question, ...exchanged, sealed, ...exchanged, sealed, ...exchanged]);
});

test("sends plain reasoning back unless the server refuses it", async () => {
  const content = [{ type: "reasoning_text", text: "They ask for weather." }];
  const plain = { type: "reasoning", id: "rs_1", summary: [], content };
  const answer = json(response([{ ...plain, status: null, encrypted_content: null }, weatherCall]));
  const sent = await turnsOf(answer);
  expect(sent[1]?.["input"]).toEqual([question, plain, ...exchanged]);

  const refusing = await turnsOf((exchange) => {
    const isTold = JSON.stringify(exchange.request.body).includes("reasoning_text");
    return (isTold ? status(400, { message: "Unsupported input item: ResponseReasoningItem" }) : answer)(exchange);
  });
  expect(refusing.at(-1)?.["input"]).toEqual([question, ...exchanged, ...exchanged, ...exchanged]);
});

test("drops reasoning between calls", async () => {
  const output = [sealed, weatherCall, { ...sealed, id: "rs_2" }, { ...weatherCall, call_id: "call_2" }];
  const [, , , last] = await turnsOf(json(response(output)));
  expect(JSON.stringify(last?.["input"])).not.toContain("encrypted_content");
});

test("does not request reasoning that a server lacks or refuses", async () => {
  const usage = { input_tokens: 1, output_tokens: 1, output_tokens_details: { reasoning_tokens: 0 } };
  const plain = await turnsOf(json(response([weatherCall], { usage })));
  expect(plain.some((body) => "include" in body)).toBe(false);

  const refusal = { message: "Encrypted content is not supported with this model." };
  const refusing = await turnsOf((exchange) => {
    const isAsked = "include" in (exchange.request.body ?? {});
    return (isAsked ? status(400, refusal) : json(response([weatherCall])))(exchange);
  });
  expect(refusing.map((body) => "include" in body)).toEqual([false, true, false, false, false]);
});
