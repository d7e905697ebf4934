import { expect, test } from "vitest";
import type { ToolDefinition } from "../../contract/ports/chat-model.ts";
import { planToolCalls } from "./plan-tool-calls.ts";

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
