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
    "2 | /0/metadata | metadata is not scored: difficulty (name labels with the mapping labels=…)",
    "3 | /1 | not part of a scenario: choices",
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
    "1 | /2 | not part of a scenario: choices",
  ]);
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
    '6 | /samples/0 | scores of the past run: match="C"',
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
  expect(messages(result)).toEqual(["1 | /samples/1 | not part of a scenario: choices, setup"]);
});
