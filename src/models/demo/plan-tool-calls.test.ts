import { expect, test } from "vitest";
import type { ToolDefinition } from "../../contract/ports/chat-model.ts";
import { findArithmetic, planToolCalls } from "./plan-tool-calls.ts";

function tool(name: string, fields: readonly string[], required: readonly string[] = []): ToolDefinition {
  const properties = Object.fromEntries(fields.map((field) => [field, { type: "string" }]));
  return { name, description: "", parameters: { type: "object", properties, required } };
}

const tools = [tool("current_time", ["timezone"]), tool("calculator", ["expression"], ["expression"])];

test("the time and a sum in one message are two calls", () => {
  expect(planToolCalls("What time is it in Tokyo, and what is 6 * 7?", { messages: [], tools })).toEqual({
    calls: [
      { name: "current_time", arguments: '{"timezone":"Asia/Tokyo"}' },
      { name: "calculator", arguments: '{"expression":"6 * 7"}' },
    ],
    missing: [],
  });
});

test("arguments follow the schema that the tool brings", () => {
  const others = [tool("current_time", ["time_zone"], ["time_zone"]), tool("calculator", ["input"])];
  const { calls } = planToolCalls("What time is it, and what is 1 + 1?", { messages: [], tools: others });
  expect(calls.map((call) => call.arguments)).toEqual(['{"time_zone":"UTC"}', '{"input":"1 + 1"}']);
  const bare = { name: "current_time", description: "", parameters: {} };
  expect(planToolCalls("What time is it?", { messages: [], tools: [bare] }).calls[0]?.arguments).toBe("{}");
});

test("a tool that is not offered, or may not be used, is missing", () => {
  expect(planToolCalls("What time is it?", { messages: [] })).toEqual({ calls: [], missing: ["clock"] });
  const forbidden = planToolCalls("What is 1 + 1?", { messages: [], tools, tool_choice: "none" });
  expect(forbidden).toEqual({ calls: [], missing: ["calculator"] });
});

test("other questions call nothing", () => {
  expect(planToolCalls("Where is my parcel?", { messages: [], tools })).toEqual({ calls: [], missing: [] });
});

test.each([
  ["What is 12 * 4?", "12 * 4"],
  ["what's 12 times 4", "12 * 4"],
  ["How much is 15% of 80?", "15 / 100 * 80"],
  ["calculate (3 + 4) * 2 please", "(3 + 4) * 2"],
  ["2+2", "2+2"],
  ["2 + 2 =", "2 + 2"],
  ["What is 1,250 plus 3?", "1250 + 3"],
  ["What is 7 × 8 − 2.5?", "7 * 8 - 2.5"],
  ["what is 3 x 4", "3 * 4"],
  ["What time is it, and what is 10 divided by 4?", "10 / 4"],
  ["Compute -3 + 5.", "-3 + 5"],
])("%s asks for %s", (text, expression) => {
  expect(findArithmetic(text)).toBe(expression);
});

test.each([
  "It took 2-3 days",
  "How much is delivery for 2-3 lamps?",
  "What is 42?",
  "My order is 48213",
  "What is (2 + 3?",
  "What is the plus plan?",
  "Call +49 30 1234",
  "",
])("%j asks for no sum", (text) => {
  expect(findArithmetic(text)).toBeNull();
});

test("a very long text is not read to its end", () => {
  expect(findArithmetic(`what is ${"1 ".repeat(50_000)} + 1`)).toBeNull();
});
