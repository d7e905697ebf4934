import { expect, test } from "vitest";
import { messages, outline, readFixture } from "../../../../test/support/read-fixture.ts";
import { importScenarios } from "../../import-scenarios.ts";

test("reads a promptfoo config: fills prompts, expands values, sorts assertions", () => {
  const result = readFixture("promptfooconfig.yaml");
  expect(result.format).toBe("promptfoo");
  expect(outline(result).map(([, turn]) => turn)).toEqual([
    ["Answer in English: What is the capital of France?", "Paris"],
    ["Answer in Spanish: One?", ""],
    ["Answer in Spanish: Two?", ""],
    ["Answer in French: Say hello", "Bonjour"],
    ["Answer in German: Say hello", "Hallo"],
  ]);
  const [capital] = result.scenarios;
  expect(capital).toMatchObject({
    description: "capital",
    interactions: [
      { references: ["It is Paris", "The capital is Paris"], reference_metadata: { intent: "geography" } },
    ],
  });
  const checks = result.checks.filter(({ scenario_id }) => scenario_id === capital?.id);
  expect(checks).toEqual([]);
  expect(capital?.interactions[0]?.checks).toEqual([
    { type: "latency", max_ms: 2000, of: "reply" },
    { type: "contains", text: "paris", mode: "all", ignore_case: true },
    { type: "contains", text: "London", mode: "none", ignore_case: false },
    { type: "rubric", text: "Is polite to Ms Smith" },
  ]);
  expect(messages(result)).toEqual(
    expect.arrayContaining([
      "settings of the run, not of a scenario: providers",
      "3 | /prompts | prompt 2; only the first prompt is used",
      "38 | /tests/2 | this is in another file (file://more-tests.yaml); import that file separately",
      "31 | /tests/0/assert/4 | assertion javascript: it runs its own code",
      "34 | /tests/1 | not part of a scenario: options.transform",
    ]),
  );
});

test("joins promptfoo tests of one conversation to the turns of a scenario", () => {
  const result = readFixture("promptfoo-conversation.yaml");
  expect(outline(result)).toEqual([
    ["facebook", ["Who founded Facebook?", ""], ['Where does he "live"?', "In Palo Alto."]],
    ["park", ["Where is Yosemite?", ""]],
    [expect.stringMatching(/^scenario-/), ["Which state is that in?", ""]],
  ]);
  expect(result.scenarios.map(({ system_prompt }) => system_prompt)).toEqual(Array(3).fill("You know companies."));
});

test("reads promptfoo tests without a config, as lines or as a list, with located notes", () => {
  const tests = ["Hi", "Bye"].map((question) => ({
    vars: { question },
    assert: [
      { type: "equals", value: `${question}!` },
      { type: "python", value: "f" },
    ],
  }));
  const lines = importScenarios({ text: tests.map((test) => JSON.stringify(test)).join("\n"), name: "cases.jsonl" });
  const list = importScenarios({ text: JSON.stringify(tests, null, 1), name: "cases.json" });
  for (const { format, scenarios } of [lines, list]) {
    expect(format).toBe("promptfoo");
    expect(scenarios.map(({ interactions: [turn] }) => [turn?.user_message, turn?.reference_reply])).toEqual([
      ["Hi", "Hi!"],
      ["Bye", "Bye!"],
    ]);
  }
  expect(lines.notes).toMatchObject([
    { line: 1, pointer: "/assert/1" },
    { line: 2, pointer: "/assert/1" },
  ]);
  expect(list.notes).toMatchObject([{ pointer: "/0/assert/1" }, { pointer: "/1/assert/1" }]);
});

test("reads promptfoo message lists as conversations without the prompt", () => {
  const result = readFixture("promptfoo-messages.yaml");
  expect(result.scenarios.map(({ system_prompt }) => system_prompt)).toEqual([
    "Respond as a pirate",
    "Answer concisely",
  ]);
  expect(outline(result).map((entry) => entry.slice(1))).toEqual([
    [
      ["Who founded Facebook?", "Mark Zuckerberg"],
      ["Did he found any other companies?", "Yes, a charity."],
    ],
    [
      ["Who founded Facebook?", "Mark Zuckerberg"],
      ["Will he let me borrow $5?", ""],
    ],
  ]);
});

test("reads promptfoo results as tests with the first recorded reply", () => {
  const result = readFixture("promptfoo-results.json");
  expect(result.format).toBe("promptfoo-results");
  expect(result.scenarios).toMatchObject([
    {
      description: "capital",
      system_prompt: "Be brief.",
      interactions: [{ user_message: "Capital of France?", reference_reply: "Paris", agent_reply: "Paris, of course" }],
    },
    { interactions: [{ user_message: "Plain?", reference_reply: "", agent_reply: '{"answer":1}' }] },
  ]);
  expect(messages(result)).toContain("25 | /results/results/1 | another reply to test 0; the first was kept");
});

test.each([
  ["as the command line writes them", { results: { version: 3, results: [], stats: {} } }],
  ["as the library gives them", { id: "eval-1", results: [], prompts: [{ raw: "Say {{ word }}" }] }],
])("reads the configuration of promptfoo results without any, %s", (_name, file) => {
  const config = {
    prompts: ["Say {{ word }}"],
    tests: [{ vars: { word: "hi" }, assert: [{ type: "equals", value: "hi" }] }],
  };
  const result = importScenarios({ text: JSON.stringify({ ...file, config }) });
  expect(result.format).toBe("promptfoo-results");
  expect(outline(result).map((entry) => entry.slice(1))).toEqual([[["Say hi", "hi"]]]);
  expect(messages(result)).toEqual(["the file has no results; the tests of its configuration were read"]);
});

test("names the dropped prompts and attempts", () => {
  const messages = (count: number) => {
    const prompts = Array.from({ length: count }, (_, index) => `{{q}} ${index}`);
    const { notes } = importScenarios({ text: JSON.stringify({ prompts, tests: [{ vars: { q: "Hi?" } }] }) });
    return notes.flatMap(({ pointer, message }) => (pointer === "/prompts" ? [message] : []));
  };
  expect(messages(1)).toEqual([]);
  expect(messages(2)).toEqual(["prompt 2; only the first prompt is used"]);
  expect(messages(3)).toEqual(["prompts 2 to 3; only the first prompt is used"]);
});
