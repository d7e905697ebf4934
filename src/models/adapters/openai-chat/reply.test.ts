import { expect, test } from "vitest";
import { ask } from "../../../../test/support/ask-openai-chat.ts";
import type { Behaviour } from "../../../../test/support/fake-provider/behaviour.ts";
import * as malformed from "../../../../test/support/fake-provider/malformed-replies.ts";
import { contentBlocks, json, message, refusal, text } from "../../../../test/support/fake-provider/replies.ts";
import { badToolArguments, legacyFunctionCall, toolCalls } from "../../../../test/support/fake-provider/tool-calls.ts";
import { rawStream, stream } from "../../../../test/support/fake-provider/streams.ts";

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
])("reads %s", async (_, behaviour, expected) => {
  expect((await ask(behaviour)).reply).toMatchObject({ ok: true, ...expected });
});

test("keeps NUL and lone surrogates in a reply", async () => {
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
])("reads %s as tool calls", async (_, behaviour, expected) => {
  const { reply } = await ask(behaviour);
  expect(reply).toMatchObject({ ok: true, text: "", tool_calls: expected });
});

test.each(["tool_calls", "function_call"])("reads %s without a call as the end of a reply", async (finish_reason) => {
  const answer = { choices: [{ message: { role: "assistant", content: "Hi", tool_calls: [] }, finish_reason }] };
  const { reply } = await ask(malformed.raw(JSON.stringify(answer)));
  expect(reply).toMatchObject({ ok: true, text: "Hi", tool_calls: [], finish_reason: "stop" });
});

test("replaces missing and repeated ids of tool calls", async () => {
  const call = { type: "function", function: { name: "a", arguments: "{}" } };
  const { reply } = await ask(
    message({ content: null, tool_calls: [{ ...call, id: "x" }, { ...call, id: "x" }, call] }),
  );
  const ids = reply.ok ? reply.tool_calls.map(({ id }) => id) : [];
  expect(ids[0]).toBe("x");
  expect(new Set(ids).size).toBe(3);
  expect(ids).not.toContain("");
});

test("reads the choice with index 0", async () => {
  const choice = (index: number) => ({ index, message: { content: `choice ${index}` }, finish_reason: "stop" });
  expect((await ask(json({ choices: [choice(1), choice(0)] }))).reply).toMatchObject({ text: "choice 0" });
  // A server that counts from one.
  expect((await ask(json({ choices: [choice(1), choice(2)] }))).reply).toMatchObject({ text: "choice 1" });
});

test("reads an unrequested stream to its end", async () => {
  const { reply, sent } = await ask(stream("One two"));
  expect(reply).toMatchObject({ ok: true, text: "One two", first_token_ms: null, usage: { total_tokens: 12 } });
  expect(sent[0]?.body).not.toHaveProperty("stream");
  const unnamed: Behaviour = ({ response }) =>
    void response
      .writeHead(200, { "content-type": "text/plain" })
      .end('data: {"choices":[{"delta":{"content":"One"}}]}\n\ndata: [DONE]\n\n');
  expect((await ask(unnamed)).reply).toMatchObject({ ok: true, text: "One" });
});

test("fails for an unrequested stream that breaks, without another try", async () => {
  const { reply, sent } = await ask(rawStream('data: {"error":{"code":503}}\n\n'));
  expect(reply).toMatchObject({ ok: false, error: { code: "upstream_error", tries: 1 } });
  expect(sent).toHaveLength(1);
});
