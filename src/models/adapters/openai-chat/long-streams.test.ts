import { expect, test } from "vitest";
import { collectAnthropicStream } from "../anthropic/stream.ts";
import { StreamedReply, StreamedToolCalls } from "./streamed-reply.ts";
import { ReasoningFields } from "../reply/reasoning-fields.ts";

// Looked through again with every event, each of these would hold up the whole process for minutes.
const many = Array.from({ length: 20_000 }, (_, index) => index);
const listeners = { onToken() {}, onText() {}, onReasoning() {} };

test("reads long arguments whose fragments repeat the name in linear time", () => {
  const pieces = JSON.stringify({ text: "a b ".repeat(100_000) }).match(/.{1,12}/g) ?? [];
  const calls = new StreamedToolCalls();
  for (const piece of pieces) calls.add([{ index: 0, function: { name: "write", arguments: piece } }]);
  expect(calls.finish()).toMatchObject([{ name: "write", arguments: pieces.join("") }]);
});

test("reads a message beside every delta in linear time", () => {
  const reply = new StreamedReply(listeners);
  const chunk = { choices: [{ delta: { content: "ab" }, message: { content: "a" } }] };
  for (let index = 0; index < 100_000; index += 1) reply.add(chunk);
  const context = { url: "http://x/", modelId: "m", source: "", request: { messages: [] }, status: 200, tries: 1 };
  expect(reply.finish(context, { done: true })).toMatchObject({ ok: true, text: "ab".repeat(100_000) });
});

test("reads reasoning that gains a field with every chunk in linear time", () => {
  const reasoning = new ReasoningFields();
  for (const index of many)
    reasoning.add({ reasoning_details: [{ type: "t", index: 0, text: "a", [`k${index}`]: 1 }] });
  expect(reasoning.opaqueMetadata()).toMatchObject({
    reasoning_details: [{ type: "t", text: "a".repeat(many.length), k0: 1, k19999: 1 }],
  });
});

test("reads a message that gains counts with every event in linear time", () => {
  const context = { url: "http://x/", modelId: "m", source: "", request: { messages: [] }, status: 200, tries: 1 };
  const message = collectAnthropicStream(context, listeners);
  for (const index of many) {
    const data = { delta: { [`d${index}`]: 1 }, usage: { [`u${index}`]: 1, output_tokens: index } };
    message.add({ event: "message_delta", data: JSON.stringify(data) });
  }
  expect(message.finish({ done: true })).toMatchObject({ ok: true, usage: { completion_tokens: 19_999 } });
});
