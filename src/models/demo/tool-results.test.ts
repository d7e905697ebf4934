import { expect, test } from "vitest";
import type { ChatMessage } from "../../contract/ports/chat-model.ts";
import { lastToolResults, toolRounds } from "./tool-results.ts";

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

test("results are only those at the end", () => {
  expect(lastToolResults([question, asked, answered("42"), { role: "assistant", content: "It is 42." }])).toEqual([]);
  expect(lastToolResults([question])).toEqual([]);
  expect(lastToolResults([])).toEqual([]);
});

test("a result without its call keeps its own name", () => {
  const lone: ChatMessage = { role: "tool", content: "9 am", tool_call_id: "x", name: "current_time" };
  expect(lastToolResults([question, lone])).toEqual([
    { name: "current_time", input: "", output: "9 am", failed: false },
  ]);
});

test("rounds of calls are counted since the user spoke", () => {
  expect(toolRounds([question, asked, answered("1"), asked, answered("2")])).toBe(2);
  expect(toolRounds([question, asked, answered("1"), question])).toBe(0);
});
