import { expect, test } from "vitest";
import { ask, hello } from "../../../test/support/ask-openai-chat.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { createChatModel } from "../create-chat-model.ts";
import { createOutbound } from "../outbound/create-outbound.ts";

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

test("an endpoint that cannot be used fails every call with the reason", async () => {
  await using outbound = createOutbound();
  const model = createChatModel({ outbound, protocol: "openai-chat", endpoint: "file:///etc/passwd", modelId: "m" });
  expect(await model(hello, { signal: new AbortController().signal })).toMatchObject({
    ok: false,
    error: { code: "endpoint_invalid", tries: 0 },
  });
});
