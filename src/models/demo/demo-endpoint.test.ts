import { expect, test } from "vitest";
import type { CompletionChunk } from "./completion.ts";
import { createDemoEndpoint } from "./demo-endpoint.ts";
import { demoFingerprint } from "./demo-model.ts";
import { createDemo, demoStudioIds } from "./demo-models.ts";

const endpoint = createDemoEndpoint(createDemo({ seed: 1 }), { now: () => 1_700_000_000 });
const { signal } = new AbortController();
const messages = [{ role: "user", content: "When will I see the money?" }];
const tools = [{ type: "function", function: { name: "calculator", parameters: { properties: { expression: {} } } } }];

async function chunksOf(body: object) {
  const answer = await endpoint.toCompletion({ ...body, stream: true }, { signal });
  if (answer.kind !== "stream") throw new Error(`expected a stream, got ${JSON.stringify(answer)}`);
  const chunks: CompletionChunk[] = [];
  for await (const chunk of answer.chunks) chunks.push(chunk);
  return chunks;
}

test("answers a completion in OpenAI's format", async () => {
  expect(await endpoint.toCompletion({ model: "demo/scripted", messages }, { signal })).toEqual({
    kind: "completion",
    status: 200,
    body: {
      id: expect.stringMatching(/^chatcmpl-demo-/),
      object: "chat.completion",
      created: 1_700_000_000,
      model: "demo/scripted",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "The refund reaches your account within 5 working days.",
            refusal: null,
          },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 13,
        total_tokens: 23,
        prompt_tokens_details: null,
        completion_tokens_details: null,
      },
      service_tier: null,
      system_fingerprint: demoFingerprint,
    },
  });
});

test.each([demoStudioIds["demo-support-v2"], demoStudioIds["demo-support-v2"].toUpperCase(), "demo-support-v2"])(
  "serves the fine-tuned model as %s, with its labels",
  async (model) => {
    const answer = await endpoint.toCompletion({ model, messages }, { signal });
    expect(answer).toMatchObject({ status: 200, body: { metadata: { intent: "billing", sentiment: "neutral" } } });
  },
);

test("returns tool calls and reads their results", async () => {
  const question = { role: "user", content: [{ type: "text", text: "What is 6 * 7?" }] };
  const asked = await endpoint.toCompletion({ model: "demo/scripted", messages: [question], tools }, { signal });
  const call = {
    id: expect.any(String),
    type: "function",
    function: { name: "calculator", arguments: '{"expression":"6 * 7"}' },
  };
  const message = { role: "assistant", content: null, refusal: null, tool_calls: [call] };
  expect(asked).toMatchObject({ body: { choices: [{ message, finish_reason: "tool_calls" }] } });

  const sent = asked.kind === "completion" ? asked.body.choices[0]?.message : undefined;
  const result = { role: "tool", tool_call_id: sent?.tool_calls?.[0]?.id, content: "42" };
  const history = [{ role: "developer", content: "Be brief" }, question, sent, result];
  const answered = await endpoint.toCompletion({ model: "demo/scripted", messages: history, tools }, { signal });
  expect(answered).toMatchObject({ body: { choices: [{ message: { content: "6 * 7 is 42." } }] } });
});

test("streams the same text with finish reason, labels and requested usage", async () => {
  const body = { model: "demo-support-v2", messages, stream_options: { include_usage: true } };
  const chunks = await chunksOf(body);
  const texts = chunks.map(({ choices }) => choices[0]?.delta["content"] ?? "");
  expect(texts.join("")).toBe("The refund reaches your account within 5 working days.");
  expect(chunks.length).toBeGreaterThan(4);
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  expect(new Set(chunks.map(({ system_fingerprint }) => system_fingerprint))).toEqual(new Set([demoFingerprint]));
  expect(chunks[0]).toMatchObject({ choices: [{ delta: { role: "assistant" }, finish_reason: null }] });
  expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: "stop" }], metadata: { intent: "billing" } });
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 23 } });
});

test("streams tool calls, without usage unless requested", async () => {
  const body = { model: "demo/scripted", messages: [{ role: "user", content: "What is 6 * 7?" }], tools };
  const chunks = await chunksOf(body);
  expect(chunks.at(-2)).toMatchObject({
    choices: [{ delta: { tool_calls: [{ index: 0, type: "function", function: { name: "calculator" } }] } }],
  });
  expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: "tool_calls" }] });
});

test("answers 404 with the known models for an unknown one", async () => {
  for (const model of ["demo/other", "toString", "__proto__"]) {
    expect(await endpoint.toCompletion({ model, messages }, { signal })).toMatchObject({
      kind: "error",
      status: 404,
      body: { error: { code: "model_not_found", message: expect.stringContaining("demo/scripted") } },
    });
  }
});

test.each([
  [null, null],
  [[], null],
  [{ messages }, "model"],
  [{ model: "demo/scripted" }, "messages"],
  [{ model: "demo/scripted", messages: [] }, "messages"],
  [{ model: "demo/scripted", messages: [{ role: "robot", content: "x" }] }, "messages.0.role"],
  [{ model: "demo/scripted", messages: [{ role: "user", content: 5 }] }, "messages.0.content"],
  [{ model: "demo/scripted", messages, n: 2 }, "n"],
  [{ model: "demo/scripted", messages, max_tokens: 0 }, "max_tokens"],
])("refuses %j and names the field", async (body, param) => {
  const answer = await endpoint.toCompletion(body, { signal });
  expect(answer).toMatchObject({ status: 400, body: { error: { type: "invalid_request_error", param } } });
});

test("refuses structured output", async () => {
  const body = { model: "demo/scripted", messages, response_format: { type: "json_object" } };
  expect(await endpoint.toCompletion(body, { signal })).toMatchObject({ status: 400 });
  expect(await endpoint.toCompletion({ ...body, stream: true }, { signal })).toMatchObject({
    kind: "error",
    status: 400,
  });
});

test("reports failures of demo/flaky like a provider", async () => {
  const flaky = createDemoEndpoint(createDemo({ seed: 2 }));
  const body = { model: "demo/flaky", messages };
  const answers = await Promise.all(Array.from({ length: 100 }, () => flaky.toCompletion(body, { signal })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400, 500, 503]));
});

test("treats null as an omitted field", async () => {
  const body = { model: "demo/scripted", messages, tools: null, tool_choice: null, stop: null, stream: null, n: null };
  expect(await endpoint.toCompletion(body, { signal })).toMatchObject({ kind: "completion" });
});

test("lists the models", () => {
  expect(endpoint.listModels().data.map(({ id }) => id)).toEqual([
    "demo/retrieval",
    "demo/scripted",
    "demo/flaky",
    ...Object.values(demoStudioIds),
  ]);
});
