import { expect, test } from "vitest";
import { ask, hello } from "../../../../test/support/ask-openai-chat.ts";
import { startFakeProvider } from "../../../../test/support/fake-provider.ts";
import type { Behaviour } from "../../../../test/support/fake-provider/behaviour.ts";
import { status } from "../../../../test/support/fake-provider/error-statuses.ts";
import { text } from "../../../../test/support/fake-provider/replies.ts";
import type { ChatRequest } from "../../../contract/ports/chat-model.ts";
import { createChatModel } from "../../protocols/create-chat-model.ts";
import { createOutbound } from "../../outbound/create-outbound.ts";

test("reads a completion into a reply with all its fields", async () => {
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
])("calls an endpoint ending in %j at %s", async (suffix, path) => {
  await using provider = await startFakeProvider();
  await using outbound = createOutbound();
  const endpoint = `${provider.origin}${suffix}`;
  const model = createChatModel({ outbound, protocol: "openai-chat", endpoint, modelId: "../m?#" });
  expect(await model(hello, { signal: new AbortController().signal })).toMatchObject({ ok: true, model: "../m?#" });
  expect(provider.requests[0]?.path).toBe(path);
});

test("fails every call to an unusable endpoint with the reason", async () => {
  await using outbound = createOutbound();
  const model = createChatModel({ outbound, protocol: "openai-chat", endpoint: "file:///etc/passwd", modelId: "m" });
  expect(await model(hello, { signal: new AbortController().signal })).toMatchObject({
    ok: false,
    error: { code: "endpoint_invalid", tries: 0 },
  });
});

test("writes messages, tools, settings and format for OpenAI", async () => {
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

test("passes on names of speakers", async () => {
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

test("passes on pictures unchanged", async () => {
  const image_url = { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" };
  const picture = { type: "image", ...image_url } as const;
  const parts = [{ type: "text", text: "What is it?" } as const, picture];
  const { sent } = await ask(undefined, { messages: [{ role: "user", content: "What is it?[image]", parts }] });
  expect(sent[0]?.body?.["messages"]).toEqual([
    { role: "user", content: [parts[0], { type: "image_url", image_url }] },
  ]);
});

test("explains a refusal of pictures", async () => {
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

test("does not send a tool choice without tools", async () => {
  const { sent } = await ask(undefined, { ...hello, tools: [], tool_choice: "auto" });
  expect(Object.keys(sent[0]?.body ?? {})).toEqual(["model", "messages"]);
});

test("uses the newer name of the token limit once the older is refused", async () => {
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

test("does not retry for another complaint about the newer name", async () => {
  const tooLarge = status(400, { message: "max_completion_tokens is too large" });
  const parameters = { max_tokens: 9, extra: { max_completion_tokens: 10_000_000 } };
  const { reply, sent } = await ask(tooLarge, { ...hello, parameters });
  expect(reply).toMatchObject({ ok: false, error: { code: "upstream_rejected", tries: 1 } });
  expect(sent).toHaveLength(1);
});
