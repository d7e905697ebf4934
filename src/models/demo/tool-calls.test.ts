import { expect, test } from "vitest";
import type { ChatMessage, ToolDefinition } from "../../contract/ports/chat-model.ts";
import { findArithmetic, findTimeQuestion, lastToolResults, planToolCalls, toolRounds } from "./tool-calls.ts";

function tool(name: string, fields: readonly string[], required: readonly string[] = []): ToolDefinition {
  const properties = Object.fromEntries(fields.map((field) => [field, { type: "string" }]));
  return { name, description: "", parameters: { type: "object", properties, required } };
}

const tools = [tool("current_time", ["timezone"]), tool("calculator", ["expression"], ["expression"])];

test("plans two calls for the time and a sum in one message", () => {
  expect(planToolCalls("What time is it in Tokyo, and what is 6 * 7?", { messages: [], tools })).toEqual({
    calls: [
      { name: "current_time", arguments: '{"timezone":"Asia/Tokyo"}' },
      { name: "calculator", arguments: '{"expression":"6 * 7"}' },
    ],
    missing: [],
  });
});

test("writes arguments for the tool's schema", () => {
  const others = [tool("current_time", ["time_zone"], ["time_zone"]), tool("calculator", ["input"])];
  const { calls } = planToolCalls("What time is it, and what is 1 + 1?", { messages: [], tools: others });
  expect(calls.map((call) => call.arguments)).toEqual(['{"time_zone":"UTC"}', '{"input":"1 + 1"}']);
  const bare = { name: "current_time", description: "", parameters: {} };
  expect(planToolCalls("What time is it?", { messages: [], tools: [bare] }).calls[0]?.arguments).toBe("{}");
});

test("reports a tool that is not offered or not allowed as missing", () => {
  expect(planToolCalls("What time is it?", { messages: [] })).toEqual({ calls: [], missing: ["clock"] });
  const forbidden = planToolCalls("What is 1 + 1?", { messages: [], tools, tool_choice: "none" });
  expect(forbidden).toEqual({ calls: [], missing: ["calculator"] });
});

test("plans no call for other questions", () => {
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
])("finds no sum in %j", (text) => {
  expect(findArithmetic(text)).toBeNull();
});

test("reads only the beginning of a very long text", () => {
  expect(findArithmetic(`what is ${"1 ".repeat(50_000)} + 1`)).toBeNull();
});

const question: ChatMessage = { role: "user", content: "What is 6 * 7?" };
const asked: ChatMessage = {
  role: "assistant",
  content: "",
  tool_calls: [{ id: "call_1", name: "calculator", arguments: '{"expression":"6 * 7"}' }],
};
const answered = (content: string): ChatMessage => ({ role: "tool", content, tool_call_id: "call_1" });

test.each([
  ["42", "42"],
  ['{"expression":"6 * 7","result":42}', "42"],
  ['{"iso":"2026-01-01T00:00:00Z"}', "2026-01-01T00:00:00Z"],
  ['{"sum":42}', '{"sum":42}'],
  ["Thursday, 9 am", "Thursday, 9 am"],
  ["<untrusted_tool_output>\n42\n</untrusted_tool_output>", "42"],
  ['<output_2>\n{"iso":"2026-01-01T09:00:00Z","readable":"Thursday, 9 am"}\n</output_2>', "Thursday, 9 am"],
])("%s says %s", (content, output) => {
  const results = lastToolResults([question, asked, answered(content)]);
  expect(results).toEqual([{ name: "calculator", input: "6 * 7", output, failed: false }]);
});

test.each([
  "Error: division by zero",
  '{"error":"unknown timezone"}',
  "Invalid arguments",
  "The tool failed.\n<x>\nwhy\n</x>",
  "The call was not run: no JSON",
])("%s failed", (content) => {
  expect(lastToolResults([question, asked, answered(content)])[0]?.failed).toBe(true);
});

test("returns only the results at the end", () => {
  expect(lastToolResults([question, asked, answered("42"), { role: "assistant", content: "It is 42." }])).toEqual([]);
  expect(lastToolResults([question])).toEqual([]);
  expect(lastToolResults([])).toEqual([]);
});

test("keeps the name of a result without its call", () => {
  const lone: ChatMessage = { role: "tool", content: "9 am", tool_call_id: "x", name: "current_time" };
  expect(lastToolResults([question, lone])).toEqual([
    { name: "current_time", input: "", output: "9 am", failed: false },
  ]);
});

test("counts rounds of calls since the user's last message", () => {
  expect(toolRounds([question, asked, answered("1"), asked, answered("2")])).toBe(2);
  expect(toolRounds([question, asked, answered("1"), question])).toBe(0);
});

test.each([
  ["What time is it?", null],
  ["what's the time in Tokyo?", "Asia/Tokyo"],
  ["Tell me the current time in New York please", "America/New_York"],
  ["What is today's date?", null],
  ["What time is it in Europe/Paris?", "Europe/Paris"],
  ["What time is it in Middle/Earth?", null],
])("%s asks for the time, in %s", (text, timezone) => {
  expect(findTimeQuestion(text)).toEqual({ timezone });
});

test.each(["What time does the shop open?", "What time is it delivered?", "This is the time of my life", ""])(
  "%j does not ask for the time",
  (text) => {
    expect(findTimeQuestion(text)).toBeNull();
  },
);
