import { expect, test } from "vitest";
import type { ChatMessage, ChatRequest, ToolDefinition } from "../../contract/ports/chat-model.ts";
import { offScript, respondFromScript } from "./scripted.ts";

const parameters = { type: "object", properties: { expression: { type: "string" } } };
const calculator: ToolDefinition = { name: "calculator", description: "", parameters };
const question: ChatMessage = { role: "user", content: "What is 6 * 7?" };
const call = { id: "call_1", name: "calculator", arguments: '{"expression":"6 * 7"}' };
const called: ChatMessage = { role: "assistant", content: "", tool_calls: [call] };
const result = (content: string): ChatMessage => ({ role: "tool", content, tool_call_id: "call_1" });
const ask = (...messages: ChatMessage[]): ChatRequest => ({ messages, tools: [calculator] });

test("a sum is given to the calculator", () => {
  expect(respondFromScript(ask(question))).toEqual({
    text: "",
    tool_calls: [{ name: "calculator", arguments: '{"expression":"6 * 7"}' }],
  });
});

test("the answer uses what the tool said, not what a model might know", () => {
  expect(respondFromScript(ask(question, called, result("41.9")))).toEqual({ text: "6 * 7 is 41.9." });
});

test("a tool that fails is called once more, then the user is told", () => {
  const failed = result("Error: broken arguments");
  expect(respondFromScript(ask(question, called, failed))).toMatchObject({ tool_calls: [{ name: "calculator" }] });
  expect(respondFromScript(ask(question, called, failed, called, failed))).toEqual({
    text: "I could not find that out: the calculator tool reported a problem.",
  });
});

test("the result of a tool it does not know is passed on", () => {
  const lookup: ChatMessage = { role: "tool", content: "Blue", tool_call_id: "x", name: "lookup" };
  const asked: ChatMessage = { role: "user", content: "Which colour is it?" };
  expect(respondFromScript(ask(asked, lookup))).toEqual({ text: "The lookup tool says: Blue" });
});

test("without the tool it says what it lacks", () => {
  expect(respondFromScript({ messages: [question] })).toEqual({ text: "I have no calculator here." });
});

test("the script answers customers, with their own order", () => {
  const messages: ChatMessage[] = [{ role: "user", content: "Please cancel order 12399." }];
  expect(respondFromScript({ messages })).toEqual({
    text: "No problem. Your parcel for order 12399 has not shipped, so I have cancelled it and you get the full amount back.",
  });
});

test("off the script it says so, even to an empty conversation", () => {
  expect(respondFromScript({ messages: [{ role: "user", content: "Write a poem" }] })).toEqual({ text: offScript });
  expect(respondFromScript({ messages: [] })).toEqual({ text: offScript });
});
