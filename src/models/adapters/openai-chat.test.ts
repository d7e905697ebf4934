import { expect, test } from "vitest";
import type { ChatOptions, ChatRequest } from "../../contract/model.ts";
import type { Behaviour } from "../../../test/support/fake-provider/behaviour.ts";
import {
  contextTooLong,
  modelNotFound,
  okWithError,
  rateLimited,
  status,
  unauthorized,
} from "../../../test/support/fake-provider/error-statuses.ts";
import * as malformed from "../../../test/support/fake-provider/malformed-replies.ts";
import {
  contentBlocks,
  contentNull,
  json,
  message,
  refusal,
  text,
} from "../../../test/support/fake-provider/replies.ts";
import { badToolArguments, legacyFunctionCall, toolCalls } from "../../../test/support/fake-provider/tool-calls.ts";
import { rawStream, stream } from "../../../test/support/fake-provider/streams.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { createChatModel } from "../create-chat-model.ts";
import { createOutbound } from "../outbound/create-outbound.ts";

const hello: ChatRequest = { messages: [{ role: "user", content: "Hello" }] };

async function ask(behaviour: Behaviour | undefined, request = hello, options: Partial<ChatOptions> = {}) {
  await using provider = await startFakeProvider(behaviour ? { behaviour } : {});
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const model = createChatModel({ outbound, protocol: "openai-chat", endpoint: provider.url, modelId: "model-1" });
  const reply = await model(request, { signal: new AbortController().signal, ...options });
  return { reply, sent: provider.requests };
}

test("a conversation comes back as a reply with all that is known about it", async () => {
  const { reply, sent } = await ask(undefined);
  expect(reply).toEqual({
    ok: true,
    text: "You said: Hello",
    refusal: null,
    tool_calls: [],
    finish_reason: "stop",
    usage: {
      prompt_tokens: 9,
      completion_tokens: 3,
      total_tokens: 12,
      prompt_tokens_details: null,
      completion_tokens_details: null,
    },
    model: "model-1",
    completion_id: "chatcmpl-fake-1",
    system_fingerprint: "fp_fake",
    service_tier: null,
    logprobs: null,
    metadata: null,
    latency_ms: expect.any(Number),
    first_token_ms: null,
    tries: 1,
  });
  expect(sent).toMatchObject([
    {
      method: "POST",
      path: "/v1/chat/completions",
      body: { model: "model-1", messages: [{ role: "user", content: "Hello" }] },
    },
  ]);
  expect(sent[0]?.body).not.toHaveProperty("stream");
});

test("messages, tools, settings and format are written as OpenAI wants them", async () => {
  const { sent } = await ask(undefined, {
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Weather?" },
      { role: "assistant", content: "", tool_calls: [{ id: "c1", name: "weather", arguments: '{"city":"Paris"}' }] },
      { role: "tool", tool_call_id: "c1", name: "weather", content: "Sunny" },
      { role: "assistant", content: "It is sunny." },
    ],
    tools: [{ name: "weather", description: "Tells the weather", parameters: { type: "object" } }],
    tool_choice: "required",
    parameters: {
      temperature: 0,
      top_p: 0.5,
      max_tokens: 10,
      seed: 7,
      stop: ["END"],
      extra: { temperature: 1, user: "u", model: "other", messages: [], stream: true, stream_options: {} },
    },
    format: { name: "labels", schema: { type: "object" } },
  });
  expect(sent[0]?.body).toEqual({
    model: "model-1",
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Weather?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } }],
      },
      { role: "tool", tool_call_id: "c1", name: "weather", content: "Sunny" },
      { role: "assistant", content: "It is sunny." },
    ],
    tools: [
      {
        type: "function",
        function: { name: "weather", description: "Tells the weather", parameters: { type: "object" } },
      },
    ],
    tool_choice: "required",
    temperature: 1,
    top_p: 0.5,
    max_tokens: 10,
    seed: 7,
    stop: ["END"],
    user: "u",
    response_format: { type: "json_schema", json_schema: { name: "labels", schema: { type: "object" }, strict: true } },
  });
});

test("names of speakers are passed on", async () => {
  const call = { id: "c1", name: "clock", arguments: "{}" };
  const messages = [
    { role: "system", name: "example_user", content: "New synergies will drive growth." },
    { role: "user", name: "alice", content: "Hi" },
    { role: "assistant", name: "triage", content: "", tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: "Noon" },
  ] as const;
  const { sent } = await ask(undefined, { messages });
  expect(sent[0]?.body?.["messages"]).toMatchObject([
    { name: "example_user", content: "New synergies will drive growth." },
    { name: "alice", content: "Hi" },
    { name: "triage", tool_calls: [{ id: "c1" }] },
    { role: "tool" },
  ]);
});

test("pictures are passed on as they came", async () => {
  const image_url = { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" };
  const picture = { type: "image", ...image_url } as const;
  const parts = [{ type: "text", text: "What is it?" } as const, picture];
  const { sent } = await ask(undefined, { messages: [{ role: "user", content: "What is it?[image]", parts }] });
  expect(sent[0]?.body?.["messages"]).toEqual([
    { role: "user", content: [parts[0], { type: "image_url", image_url }] },
  ]);
});

test("an endpoint that does not take them is told apart from other rejections", async () => {
  const parts = [{ type: "image", url: "https://example.com/cat.png" } as const];
  const shown = { messages: [{ role: "user", content: "[image]", parts } as const] };
  const detail = async (behaviour: Behaviour, request: ChatRequest) => {
    const { reply } = await ask(behaviour, request);
    return reply.ok ? null : reply.error.detail;
  };
  const noPictures = status(404, { message: "No endpoints found that support image input" });
  expect(await detail(noPictures, shown)).toContain("did not take the pictures it was sent");
  expect(await detail(noPictures, hello)).not.toContain("pictures");
  expect(await detail(status(400, { message: "temperature must be below 2" }), shown)).not.toContain("pictures");
});

test("a tool choice without tools is not sent", async () => {
  const { sent } = await ask(undefined, { ...hello, tools: [], tool_choice: "auto" });
  expect(Object.keys(sent[0]?.body ?? {})).toEqual(["model", "messages"]);
});

test.each<[string, Behaviour, object]>([
  ["content blocks", contentBlocks("One ", "two"), { text: "One two" }],
  ["an empty text", text(""), { text: "" }],
  ["a refusal", refusal("I will not."), { text: "", refusal: "I will not." }],
  ["a refusal block", message({ content: [{ type: "refusal", refusal: "No." }] }), { refusal: "No." }],
  [
    "a text that a filter held back",
    json({ choices: [{ message: { role: "assistant" }, finish_reason: "content_filter" }] }),
    { text: "", refusal: expect.stringContaining("content filter"), finish_reason: "content_filter" },
  ],
  [
    "a text that Gemini's filter held back",
    json({ choices: [{ index: 0, finish_reason: "content_filter: PROHIBITED_CONTENT" }] }),
    { text: "", refusal: expect.stringContaining("content filter"), finish_reason: "content_filter" },
  ],
  [
    "a text that a gateway's filter held back",
    json({ choices: [{ message: { content: null }, finish_reason: "SAFETY" }] }),
    { text: "", refusal: expect.stringContaining("content filter"), finish_reason: "content_filter" },
  ],
  [
    "a text that Zhipu's filter held back",
    json({ choices: [{ message: { content: "" }, finish_reason: "sensitive" }] }),
    { text: "", refusal: expect.stringContaining("content filter"), finish_reason: "content_filter" },
  ],
  [
    "a text that a filter cut off",
    json({ choices: [{ message: { content: "Half a" }, finish_reason: "content_filter" }] }),
    { text: "Half a", refusal: null, finish_reason: "content_filter" },
  ],
  [
    "a text that met Mistral's limit",
    json({ choices: [{ message: { content: "Half a" }, finish_reason: "model_length" }] }),
    { text: "Half a", finish_reason: "length" },
  ],
  [
    "a text that met a gateway's limit",
    json({ choices: [{ message: { content: "Half a" }, finish_reason: "MAX_TOKENS" }] }),
    { text: "Half a", finish_reason: "length" },
  ],
  ["reasoning beside the text", message({ content: "42", reasoning_content: "hm", reasoning: "hm" }), { text: "42" }],
  [
    "a wrong content type",
    malformed.wrongContentType,
    { text: "Fine", model: "model-1", completion_id: "", usage: null },
  ],
  [
    "an old function call without a name, as Snowflake sends it with every reply,",
    json({ choices: [{ message: { content: "Hi", function_call: { name: "", arguments: "" } }, finish_reason: "" }] }),
    { text: "Hi", tool_calls: [], finish_reason: "stop" },
  ],
  ["JSON that is no text", message({ content: { title: "Apples" } }), { text: '{"title":"Apples"}' }],
  ["a plain completion", json({ choices: [{ text: "Hi" }] }), { text: "Hi", finish_reason: "stop" }],
  [
    "labels on the message",
    message({ content: "x", metadata: { intent: "greet" } }),
    { metadata: { intent: "greet" } },
  ],
  ["labels beside it", text("x", { metadata: { mood: { sad: true } } }), { metadata: { mood: { sad: true } } }],
  ["empty labels", text("x", { metadata: {} }), { metadata: null }],
  ["what SGLang tells of itself", text("x", { metadata: { weight_version: "default" } }), { metadata: null }],
  ["labels that are no object", text("x", { metadata: "greet" }), { metadata: null }],
  ["no usage", text("x", { usage: null }), { usage: null }],
  [
    "half a usage",
    text("x", { usage: { prompt_tokens: "5", completion_tokens: null } }),
    { usage: { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 } },
  ],
  ["nonsense usage", text("x", { usage: { prompt_tokens: -1, total_tokens: "many" } }), { usage: null }],
  ["usage beyond counting", text("x", { usage: { prompt_tokens: 1e99, total_tokens: "1e99" } }), { usage: null }],
  [
    "NaN in usage",
    malformed.raw(
      '{"choices":[{"message":{"content":"is \\"NaN\\" ok?"}}],"usage":{"prompt_tokens":NaN,"completion_tokens":2}}',
    ),
    { text: 'is "NaN" ok?', usage: { completion_tokens: 2, total_tokens: 2 } },
  ],
  [
    "an odd finish reason",
    json({ choices: [{ message: { content: "x" }, finish_reason: "eos_token" }] }),
    { finish_reason: "eos_token" },
  ],
  [
    "details of usage",
    text("x", {
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, prompt_tokens_details: { cached_tokens: 1 } },
    }),
    { usage: { prompt_tokens_details: { cached_tokens: 1 } } },
  ],
])("%s is read", async (_, behaviour, expected) => {
  expect((await ask(behaviour)).reply).toMatchObject({ ok: true, ...expected });
});

test("NUL and lone surrogates in a reply stay as they are", async () => {
  const odd = "a\u0000b\ud800c\u202e";
  const escaped = malformed.raw(`{"choices":[{"message":{"content":${JSON.stringify(odd)}}}]}`);
  expect((await ask(escaped)).reply).toMatchObject({ text: odd });
});

test.each<[string, Behaviour, object[]]>([
  ["one call", toolCalls({ name: "a", arguments: { x: 1 } }), [{ id: "call_fake_1", name: "a", arguments: '{"x":1}' }]],
  [
    "parallel calls",
    toolCalls({ name: "a", arguments: {} }, { name: "b", arguments: {} }),
    [{ name: "a" }, { name: "b" }],
  ],
  ["broken arguments", badToolArguments("a"), [{ name: "a", arguments: '{"city": "Par' }]],
  [
    "the old function call",
    legacyFunctionCall({ name: "a", arguments: {} }),
    [{ id: expect.stringMatching(/^[a-z0-9]{9}$/), name: "a" }],
  ],
  [
    "arguments as an object",
    message({ tool_calls: [{ function: { name: "a", arguments: { x: 1 } } }] }),
    [{ arguments: '{"x":1}' }],
  ],
  [
    "no arguments",
    message({ tool_calls: [{ id: "1", function: { name: "a", arguments: "" } }] }),
    [{ arguments: "{}" }],
  ],
])("%s is read as tool calls", async (_, behaviour, expected) => {
  const { reply } = await ask(behaviour);
  expect(reply).toMatchObject({ ok: true, text: "", tool_calls: expected });
});

test.each(["tool_calls", "function_call"])("%s without a call is the end of a reply", async (finish_reason) => {
  const answer = { choices: [{ message: { role: "assistant", content: "Hi", tool_calls: [] }, finish_reason }] };
  const { reply } = await ask(malformed.raw(JSON.stringify(answer)));
  expect(reply).toMatchObject({ ok: true, text: "Hi", tool_calls: [], finish_reason: "stop" });
});

test("missing and repeated ids of tool calls become unique ones", async () => {
  const call = { type: "function", function: { name: "a", arguments: "{}" } };
  const { reply } = await ask(
    message({ content: null, tool_calls: [{ ...call, id: "x" }, { ...call, id: "x" }, call] }),
  );
  const ids = reply.ok ? reply.tool_calls.map(({ id }) => id) : [];
  expect(ids[0]).toBe("x");
  expect(new Set(ids).size).toBe(3);
  expect(ids).not.toContain("");
});

test.each<[string, Behaviour, string]>([
  ["a web page", malformed.html, "upstream_invalid_reply"],
  ["nothing", malformed.emptyBody, "upstream_invalid_reply"],
  ["half JSON", malformed.halfJson, "upstream_invalid_reply"],
  ["no choices", malformed.noChoices, "upstream_invalid_reply"],
  ["another shape", malformed.wrongShape, "upstream_invalid_reply"],
  ["a number", malformed.raw("42"), "upstream_invalid_reply"],
  ["null content and nothing else", contentNull, "upstream_invalid_reply"],
  ["a million brackets", malformed.raw("[".repeat(1_000_000)), "upstream_invalid_reply"],
  ["an error under 200", okWithError({ message: "boom" }), "upstream_error"],
  ["a rate limit under 200", okWithError({ code: 429 }), "upstream_rate_limited"],
  ["a refused key under 200", okWithError({ code: "invalid_api_key" }), "upstream_auth"],
  ["an unknown model under 200", okWithError({ message: "model 'x' not found" }), "model_not_found"],
  ["an error in the choice", json({ choices: [{ error: { code: 502, message: "x" } }] }), "upstream_error"],
  [
    "a reply that ended with an error",
    json({ choices: [{ message: { content: "Half a" }, finish_reason: "error" }] }),
    "upstream_error",
  ],
  [
    "a reply that DeepSeek had no room to finish",
    json({ choices: [{ message: { content: "Half a" }, finish_reason: "insufficient_system_resource" }] }),
    "upstream_error",
  ],
  [
    "a reply that Zhipu could not finish",
    json({ choices: [{ message: { content: "Half a" }, finish_reason: "network_error" }] }),
    "upstream_error",
  ],
  ["401", unauthorized, "upstream_auth"],
  ["403 about a model", status(403, { message: "model not found" }), "upstream_auth"],
  ["429", rateLimited({}), "upstream_rate_limited"],
  ["OpenAI's unknown model", modelNotFound, "model_not_found"],
  [
    "JSON that Groq's model got wrong",
    status(400, { message: "Failed to generate JSON. Please adjust your prompt.", code: "json_validate_failed" }),
    "upstream_invalid_reply",
  ],
  [
    "Groq's former model",
    status(400, { message: "The model `x` has been decommissioned.", code: "model_decommissioned" }),
    "model_not_found",
  ],
  [
    "vLLM's unknown model",
    json({ object: "error", message: "The model `x` does not exist.", type: "NotFoundError", code: 404 }, 404),
    "model_not_found",
  ],
  [
    "Ollama's unknown model",
    json({ error: { message: 'model "x" not found, try pulling it first', type: "api_error" } }, 404),
    "model_not_found",
  ],
  ["Ollama's older unknown model", json({ error: "model 'x' not found" }, 404), "model_not_found"],
  [
    "OpenRouter's unknown model",
    json({ error: { message: "x/y is not a valid model ID", code: 400 } }, 400),
    "model_not_found",
  ],
  [
    "Gemini's unknown model",
    json([{ error: { code: 404, message: "models/x is not found for API version v1main", status: "NOT_FOUND" } }], 404),
    "model_not_found",
  ],
  [
    "Gemini's context",
    json(
      [{ error: { code: 400, message: "The input token count exceeds the maximum number of tokens allowed." } }],
      400,
    ),
    "context_length_exceeded",
  ],
  [
    "Gemini's refused key",
    json([{ error: { code: 400, message: "API key not valid. Please pass a valid API key." } }], 400),
    "upstream_auth",
  ],
  [
    "xAI's refused key",
    json({ code: "Client specified an invalid argument", error: "Incorrect API key provided: xa***" }, 400),
    "upstream_auth",
  ],
  [
    "Azure's unknown deployment",
    status(404, { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." }),
    "model_not_found",
  ],
  ["Bedrock's unknown model", json({ message: "The provided model identifier is invalid." }, 400), "model_not_found"],
  ["a wrong path", json({ detail: "Not Found" }, 404), "upstream_rejected"],
  ["a web page under 404", malformed.htmlNotFound, "upstream_rejected"],
  ["a context that is too long", contextTooLong, "context_length_exceeded"],
  [
    "llama.cpp's context",
    json(
      {
        error: {
          code: 400,
          message: "the request exceeds the available context size",
          type: "exceed_context_size_error",
        },
      },
      400,
    ),
    "context_length_exceeded",
  ],
  [
    "xAI's context",
    json(
      {
        code: "Client specified an invalid argument",
        error: "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
      },
      400,
    ),
    "context_length_exceeded",
  ],
  [
    "Kimi's context",
    status(400, { message: "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)" }),
    "context_length_exceeded",
  ],
  [
    "Perplexity's context",
    status(400, {
      type: "too_many_prompt_tokens",
      message: "The total length of all messages is too long.",
      code: 400,
    }),
    "context_length_exceeded",
  ],
  ["Zhipu's context", status(400, { code: "1261", message: "Prompt 超长" }), "context_length_exceeded"],
  [
    "Qwen's context",
    status(400, { code: "invalid_parameter_error", message: "Range of input length should be [1, 129024]" }),
    "context_length_exceeded",
  ],
  [
    "TGI's context",
    json(
      {
        error:
          "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
        error_type: "validation",
      },
      422,
    ),
    "context_length_exceeded",
  ],
  [
    "vLLM's prompt",
    status(400, { message: "The decoder prompt (length 5000) is longer than the maximum model length of 4096." }),
    "context_length_exceeded",
  ],
  [
    "a context at GitHub",
    status(413, {
      code: "tokens_limit_reached",
      message: "Request body too large for gpt-4o model. Max size: 8000 tokens.",
    }),
    "context_length_exceeded",
  ],
  ["another 400", status(400, { message: "temperature must be below 2" }), "upstream_rejected"],
  ["422", status(422), "upstream_rejected"],
  ["a server error about a model", status(500, { message: "model not found" }), "upstream_error"],
])("%s is a failed reply", async (_, behaviour, code) => {
  const { reply } = await ask(behaviour);
  expect(reply).toMatchObject({ ok: false, error: { code, tries: 1 }, latency_ms: expect.any(Number) });
});

test.each([
  ["OpenAI", { code: "insufficient_quota", type: "insufficient_quota", message: "You exceeded your current quota" }],
  ["Kimi", { type: "exceeded_current_quota_error", message: "Your account is suspended" }],
])("an empty account is no limited rate: %s", async (_, error) => {
  await using provider = await startFakeProvider({ behaviour: json({ error }, 429) });
  await using outbound = createOutbound({ retry: { baseMs: 1 } });
  const model = createChatModel({ outbound, protocol: "openai-chat", endpoint: provider.url, modelId: "m" });
  expect(await model(hello, { signal: new AbortController().signal })).toMatchObject({
    error: {
      code: "upstream_rejected",
      detail: expect.stringContaining("has no credit"),
      lacks_credit: true,
      upstream_status: 429,
      tries: 1,
    },
  });
});

test("an endpoint that refuses structured output is told apart from other rejections", async () => {
  const format = { name: "verdict", schema: { type: "object" } };
  const refused = await ask(status(400, { message: "This response_format type is unavailable now" }), {
    ...hello,
    format,
  });
  expect(refused.reply).toMatchObject({ ok: false, error: { code: "upstream_rejected", refuses_format: true } });
  const other = await ask(status(400, { message: "temperature must be below 2" }), { ...hello, format });
  expect(other.reply).not.toHaveProperty("error.refuses_format");
});

test("the detail of a wrong path names the path and nothing the server wrote", async () => {
  const { reply } = await ask(malformed.htmlNotFound);
  expect(reply).toMatchObject({
    error: { detail: "HTTP 404 at /v1/chat/completions: check the path of the endpoint." },
  });
});

test.each([
  [
    "OpenAI",
    { error: { message: "Unsupported value: 0", param: "temperature", code: "unsupported_value" } },
    "temperature",
  ],
  ["OpenAI about a tool", { error: { message: "secret", param: "tools[0].function.parameters" } }, "tools"],
  ["Mistral", { detail: [{ type: "extra_forbidden", loc: ["body", "seed"], msg: "secret" }] }, "seed"],
  [
    "Anthropic",
    { type: "error", error: { type: "invalid_request_error", message: "max_tokens: 9 > 8, which is the secret" } },
    "max_tokens",
  ],
  [
    "Anthropic about a tool",
    { error: { message: "tools.0.custom.input_schema: my `temperature` is secret" } },
    "tools",
  ],
  ["Anthropic about two", { error: { message: "The `temperature` and `top_p` cannot be secret" } }, "temperature"],
  ["another", { error: { message: "secret", param: "my-secret" } }, null],
  ["one that only speaks of a field", { error: { message: "messages.0: a temperature: `secret`" } }, null],
])("a refusal of %s names the field it is about, and nothing else", async (_, body, field) => {
  const { reply } = await ask(json(body, 400));
  expect(reply).toMatchObject({ ok: false, error: { code: "upstream_rejected" } });
  const about = field === null ? /rejected the request\.$/ : new RegExp(`rejected the request for its ${field}\\.$`);
  expect(reply.ok ? "" : reply.error.detail).toMatch(about);
});

test.each([
  ["", "/v1/chat/completions"],
  ["/", "/v1/chat/completions"],
  ["/v1", "/v1/chat/completions"],
  ["/v1///", "/v1/chat/completions"],
  ["/v1/chat/completions", "/v1/chat/completions"],
  ["/v1/chat/completions/", "/v1/chat/completions"],
  ["/api/v1?version=2", "/api/v1/chat/completions?version=2"],
  [
    "/openai/deployments/x/chat/completions?api-version=2024",
    "/openai/deployments/x/chat/completions?api-version=2024",
  ],
])("an endpoint ending in %j is called at %s", async (suffix, path) => {
  await using provider = await startFakeProvider();
  await using outbound = createOutbound();
  const endpoint = `${provider.origin}${suffix}`;
  const model = createChatModel({ outbound, protocol: "openai-chat", endpoint, modelId: "../m?#" });
  expect(await model(hello, { signal: new AbortController().signal })).toMatchObject({ ok: true, model: "../m?#" });
  expect(provider.requests[0]?.path).toBe(path);
});

test("a model that wants the limit by its newer name gets it so, from then on at once", async () => {
  const refused = status(400, {
    message: "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
  });
  await using provider = await startFakeProvider({
    behaviour: (call) => (call.request.body?.["max_tokens"] === undefined ? text("Hi") : refused)(call),
  });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const { signal } = new AbortController();
  const tries = [];
  for (const onText of [undefined, () => {}]) {
    const model = createChatModel({ outbound, protocol: "openai-chat", endpoint: provider.url, modelId: "gpt-5" });
    const reply = await model({ ...hello, parameters: { max_tokens: 9 } }, { signal, ...(onText && { onText }) });
    tries.push(reply.ok && reply.tries);
  }
  expect(tries).toEqual([2, 1]);
  expect(provider.requests.map(({ body }) => [body?.["max_tokens"], body?.["max_completion_tokens"]])).toEqual([
    [9, undefined],
    [undefined, 9],
    [undefined, 9],
  ]);
});

test("another complaint about the newer name is not asked about again", async () => {
  const tooLarge = status(400, { message: "max_completion_tokens is too large" });
  const parameters = { max_tokens: 9, extra: { max_completion_tokens: 10_000_000 } };
  const { reply, sent } = await ask(tooLarge, { ...hello, parameters });
  expect(reply).toMatchObject({ ok: false, error: { code: "upstream_rejected", tries: 1 } });
  expect(sent).toHaveLength(1);
});

test("an endpoint that cannot be used fails every call with the reason", async () => {
  await using outbound = createOutbound();
  const model = createChatModel({ outbound, protocol: "openai-chat", endpoint: "file:///etc/passwd", modelId: "m" });
  expect(await model(hello, { signal: new AbortController().signal })).toMatchObject({
    ok: false,
    error: { code: "endpoint_invalid", tries: 0 },
  });
});

test("of several choices, the one with the index 0 is the reply", async () => {
  const choice = (index: number) => ({ index, message: { content: `choice ${index}` }, finish_reason: "stop" });
  expect((await ask(json({ choices: [choice(1), choice(0)] }))).reply).toMatchObject({ text: "choice 0" });
  // A server that counts from one.
  expect((await ask(json({ choices: [choice(1), choice(2)] }))).reply).toMatchObject({ text: "choice 1" });
});

test("a server that streams although it was not asked to is read to its end", async () => {
  const { reply, sent } = await ask(stream("One two"));
  expect(reply).toMatchObject({ ok: true, text: "One two", first_token_ms: null, usage: { total_tokens: 12 } });
  expect(sent[0]?.body).not.toHaveProperty("stream");
  const unnamed: Behaviour = ({ response }) =>
    void response
      .writeHead(200, { "content-type": "text/plain" })
      .end('data: {"choices":[{"delta":{"content":"One"}}]}\n\ndata: [DONE]\n\n');
  expect((await ask(unnamed)).reply).toMatchObject({ ok: true, text: "One" });
});

test("a stream nobody asked for that breaks is a failed reply, and not asked for again", async () => {
  const { reply, sent } = await ask(rawStream('data: {"error":{"code":503}}\n\n'));
  expect(reply).toMatchObject({ ok: false, error: { code: "upstream_error", tries: 1 } });
  expect(sent).toHaveLength(1);
});
