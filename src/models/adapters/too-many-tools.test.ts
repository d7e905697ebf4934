import { expect, test } from "vitest";
import { tooManyTools } from "./too-many-tools.ts";

test.each([
  [
    "invalid 'tools': array too long. expected an array with maximum length 128, but got an array with length 150 instead.",
    "128",
  ],
  ["'tools' : maximum number of items is 128", "128"],
  ["* tools[0].function_declarations: [field_invalid] at most 512 function declarations can be specified.", "512"],
  ["you may not include more than 128 tools in your request.", "128"],
  ["number of tools exceeds 128", "128"],
])("%j says how many tools are taken", (message, most) => {
  expect(tooManyTools(message, "host")).toBe(
    `host takes at most ${most} tools in one request: allow those that are needed with x-agent-tools.`,
  );
});

test("a limit without a number is one too", () => {
  expect(tooManyTools("too many tools", "host")).toContain("fewer tools");
});

test.each([
  "invalid 'messages[2].tool_calls': array too long. expected an array with maximum length 128",
  "tools[0].function.description: string too long. expected a string with maximum length 1024",
  "this model does not support tools",
  "too many tokens",
])("%j is about something else", (message) => {
  expect(tooManyTools(message, "host")).toBeNull();
});
