import { expect, test } from "vitest";
import { messages, outline, readFixture } from "../../../test/support/read-fixture.ts";
import { importScenarios } from "../import-scenarios.ts";

test("OpenAI chat lines: every user turn with the next assistant text, tools and pictures named", () => {
  const result = readFixture("openai-chat.jsonl");
  expect(result.format).toBe("openai-chat");
  expect(outline(result).map((entry) => entry.slice(1))).toEqual([
    [
      ["When do you open?", "At seven."],
      ["And what is this?", "A rye loaf."],
    ],
    [["Where is my order?", "It was sent today."]],
    [["Say hello.", "Hello!"]],
  ]);
  expect(result.scenarios[0]?.system_prompt).toBe("You answer for a bakery.");
  expect(messages(result)).toEqual([
    "1 | /messages/3 | only text is kept; left out: image_url",
    "2 | not part of a scenario: tools",
    "2 | /messages/1 | tool calls are not part of a scenario",
    "2 | /messages/2 | tool messages are not part of a scenario",
    "3 | the reply that was not preferred",
  ]);
});

test("ShareGPT conversations keep all their turns", () => {
  const result = readFixture("sharegpt.json");
  expect(result.format).toBe("sharegpt");
  expect(outline(result)).toEqual([
    ["talk-1", ["One?", "Uno."], ["Two?", "Dos."], ["Three?", "Tres."]],
    [expect.stringMatching(/^scenario-/), ["Hi", ""]],
  ]);
  expect(result.scenarios[0]?.system_prompt).toBe("Be brief.");
  expect(messages(result)).toEqual([
    "16 | /1/conversations/0 | an assistant message before the first user message has no turn",
    "18 | /1/conversations/2 | this is not a message with a known role",
  ]);
});

test("a bare list of messages is one conversation, and so is each of several lines", () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello." },
    { role: "user", content: "Bye" },
    { role: "assistant", content: null, tool_calls: [{ id: "1" }] },
  ];
  const one = importScenarios({ text: JSON.stringify(messages, null, 1), name: "chat.json" });
  expect(one).toMatchObject({
    format: "openai-chat",
    scenarios: [
      {
        system_prompt: "Be brief.",
        interactions: [
          { user_message: "Hi", reference_reply: "Hello." },
          { user_message: "Bye", reference_reply: "" },
        ],
      },
    ],
    notes: [{ pointer: "/4", message: "tool calls are not part of a scenario" }],
  });
  const two = importScenarios({ text: `${JSON.stringify(messages)}\n${JSON.stringify(messages.slice(1))}\n` });
  expect(two.scenarios.map(({ system_prompt }) => system_prompt)).toEqual(["Be brief.", undefined]);
});
