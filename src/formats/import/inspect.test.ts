import { expect, test } from "vitest";
import { messages, readFixture } from "../../../test/support/read-fixture.ts";
import { importScenarios } from "../import-scenarios.ts";

test("reads Inspect samples of text and of messages", () => {
  const result = readFixture("inspect-samples.json");
  expect(result.format).toBe("inspect");
  expect(result.scenarios).toMatchObject([
    {
      id: "7",
      interactions: [{ user_message: "What is 2 + 2?", reference_reply: "4", reference_metadata: { intent: "math" } }],
    },
    {
      system_prompt: "You are a guide.",
      interactions: [
        { reference_reply: "In Rome." },
        { user_message: "What should I see?", reference_reply: "The Forum", references: ["The Colosseum"] },
      ],
    },
  ]);
  expect(messages(result)).toEqual([
    "intent is a label: replies are compared with it",
    "2 | /0/metadata | metadata is kept, not scored: difficulty (name labels with the mapping labels=…)",
  ]);
});

test("adds the choices of an Inspect sample if its target names them", () => {
  const samples = [
    { input: "Which is smallest?", choices: ["2", "1"], target: "B" },
    { input: [{ role: "user", content: "Which are odd?" }], choices: [1, 2, 3], target: ["A", "C"] },
    { input: "Which is a fruit?", choices: ["pear", "car"], target: "pear" },
  ];
  const result = importScenarios({ text: JSON.stringify(samples) });
  expect(result.scenarios.map(({ interactions }) => interactions)).toMatchObject([
    [{ user_message: "Which is smallest?\n\nA) 2\nB) 1", reference_reply: "B" }],
    [{ user_message: "Which are odd?\n\nA) 1\nB) 2\nC) 3", reference_reply: "A, C" }],
    [{ user_message: "Which is a fruit?", reference_reply: "pear" }],
  ]);
  expect(messages(result)).toEqual([
    "1 | /0 | the choices were added below the question",
    "1 | /1 | the choices were added below the question",
  ]);
  expect(result.scenarios[2]?.metadata).toEqual({ choices: ["pear", "car"] });
  const table = importScenarios({ text: 'input,choices,target\nWhich?,"2,1",B\n', name: "samples.csv" });
  expect(table.scenarios[0]?.interactions[0]?.user_message).toBe("Which?\n\nA) 2\nB) 1");
});

test("reads each sample of an Inspect log once, with the model's reply", () => {
  const result = readFixture("inspect-log.json");
  expect(result.format).toBe("inspect-log");
  expect(result.scenarios).toMatchObject([
    {
      id: "s1",
      interactions: [
        { user_message: "What is 2 + 2?", agent_reply: "Five" },
        { user_message: "Are you sure?", agent_reply: "Four", reference_reply: "4" },
      ],
    },
  ]);
  expect(messages(result)).toEqual([
    "6 | /samples/0 | scores of the past run are kept as metadata: match",
    "21 | /samples/1 | the reply of epoch 2; the first epoch was kept",
  ]);
});

test("uses a solver's system message in an Inspect log as the system prompt", () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "system", content: "Answer as a shop." },
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello" },
  ];
  const input = [messages[0], messages[2]];
  const samples = [
    { id: "both", input, target: "Hey", messages },
    { id: "solver", input: "Hi", target: "Hey", messages: messages.slice(1) },
    { id: "without", input, target: "Hey" },
  ];
  const { scenarios } = importScenarios({ text: JSON.stringify({ eval: {}, samples }) });
  const prompts = scenarios.map(({ system_prompt }) => system_prompt);
  expect(prompts).toEqual(["Be brief.\n\nAnswer as a shop.", "Answer as a shop.", "Be brief."]);
});

test("notes other fields of an Inspect log sample, except choices that are in the question", () => {
  const asked = [{ role: "user", content: "Which is red?\n\nA) apple\nB) pear" }];
  const samples = [
    { id: "asked", input: "Which is red?", choices: ["apple", "pear"], target: "A", messages: asked, files: [] },
    { id: "alone", input: "Which is red?", choices: ["apple", "pear"], target: "A", setup: "ls", sandbox: null },
  ];
  const result = importScenarios({ text: JSON.stringify({ eval: {}, samples }) });
  expect(result.scenarios).toHaveLength(2);
  expect(messages(result)).toEqual(["1 | /samples/1 | kept as metadata, not scored: setup"]);
});

test("keeps the tool calls of an Inspect log in a recorded world, from messages or events", () => {
  const call = { id: "c", function: "add", arguments: { a: 1 }, type: "function" };
  const messages = [
    { role: "user", content: "1 + 1?" },
    { role: "assistant", content: "", tool_calls: [call] },
    { id: "m3", role: "tool", tool_call_id: "c", function: "add", content: "2" },
    { role: "assistant", content: "Two" },
  ];
  const failed = { ...messages[2], content: "", error: { type: "timeout", message: "Too slow." } };
  const event = { event: "tool", ...call, result: "2", error: null };
  const samples = [
    { id: "messages", input: "1 + 1?", target: "2", messages },
    { id: "failed", input: "1 + 1?", target: "2", messages: [messages[0], messages[1], failed, messages[3]] },
    {
      id: "events",
      input: "1 + 1?",
      target: "2",
      messages: [messages[0], messages[3]],
      events: [{ event: "model" }, event],
    },
  ];
  const { scenarios } = importScenarios({ text: JSON.stringify({ eval: {}, samples }) });
  expect(scenarios.map(({ world }) => world?.recorded)).toEqual([
    [{ name: "add", arguments: { a: 1 }, result: "2" }],
    [{ name: "add", arguments: { a: 1 }, error: "Too slow." }],
    [{ name: "add", arguments: { a: 1 }, result: "2" }],
  ]);
  for (const { interactions } of scenarios) {
    expect(interactions).toMatchObject([{ agent_reply: "Two", reference_reply: "2" }]);
    expect(interactions[0]).not.toHaveProperty("reference_tool_calls");
  }
});
