import { expect, test } from "vitest";
import { ask, hello } from "../../../../test/support/ask-openai-chat.ts";
import type { Behaviour } from "../../../../test/support/fake-provider/behaviour.ts";
import {
  contextTooLong,
  modelNotFound,
  okWithError,
  rateLimited,
  status,
  unauthorized,
} from "../../../../test/support/fake-provider/error-statuses.ts";
import * as malformed from "../../../../test/support/fake-provider/malformed-replies.ts";
import { contentNull, json } from "../../../../test/support/fake-provider/replies.ts";
import { startFakeProvider } from "../../../../test/support/fake-provider.ts";
import { createChatModel } from "../../protocols/create-chat-model.ts";
import { createOutbound } from "../../outbound/create-outbound.ts";

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
])("fails for %s", async (_, behaviour, code) => {
  const { reply } = await ask(behaviour);
  expect(reply).toMatchObject({ ok: false, error: { code, tries: 1 }, latency_ms: expect.any(Number) });
});

test.each([
  ["OpenAI", { code: "insufficient_quota", type: "insufficient_quota", message: "You exceeded your current quota" }],
  ["Kimi", { type: "exceeded_current_quota_error", message: "Your account is suspended" }],
])("distinguishes an empty account from a rate limit: %s", async (_, error) => {
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

test("marks a refusal of structured output", async () => {
  const format = { name: "verdict", schema: { type: "object" } };
  const refused = await ask(status(400, { message: "This response_format type is unavailable now" }), {
    ...hello,
    format,
  });
  expect(refused.reply).toMatchObject({ ok: false, error: { code: "upstream_rejected", refuses_format: true } });
  const other = await ask(status(400, { message: "temperature must be below 2" }), { ...hello, format });
  expect(other.reply).not.toHaveProperty("error.refuses_format");
});

test("names a wrong path without the server's text", async () => {
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
])("names the refused field only: %s", async (_, body, field) => {
  const { reply } = await ask(json(body, 400));
  expect(reply).toMatchObject({ ok: false, error: { code: "upstream_rejected" } });
  const about = field === null ? /rejected the request\.$/ : new RegExp(`rejected the request for its ${field}\\.$`);
  expect(reply.ok ? "" : reply.error.detail).toMatch(about);
});
