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
    { type: "equals", text: "Paris", ignore_case: false, negate: false },
    {
      type: "similarity",
      metric: "semantic",
      reference: ["It is Paris", "The capital is Paris"],
      threshold: 0.75,
    },
    { type: "contains", text: "paris", mode: "all", ignore_case: true },
    { type: "contains", text: "London", mode: "none", ignore_case: false },
    { type: "rubric", text: "Is polite to Ms Smith" },
  ]);
  expect(messages(result)).toEqual(
    expect.arrayContaining([
      "3 | /prompts | prompt 2; only the first prompt is used",
      "38 | /tests/2 | this is in another file (file://more-tests.yaml); import that file separately",
      "31 | /tests/0/assert/4 | assertion javascript: it is code, which is imported only when allowed",
    ]),
  );
});

test("joins promptfoo tests of one conversation to the turns of a scenario", () => {
  const result = readFixture("promptfoo-conversation.yaml");
  expect(outline(result)).toEqual([
    ["facebook", ["Who founded Facebook?", ""], ['Where does he "live"?', "In Palo Alto."]],
    ["park", ["Where is Yosemite?", ""]],
    [expect.stringMatching(/^test-/), ["Which state is that in?", ""]],
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

test("keeps the turns of vars._conversation", () => {
  const _conversation = [
    { input: "To Europe", output: "Where to?" },
    { input: "Italy", output: "Nice." },
  ];
  const text = JSON.stringify({
    prompts: ["Reply to {{message}}"],
    tests: [{ vars: { _conversation } }, { vars: { _conversation, message: "And when?" } }],
  });
  const { scenarios } = importScenarios({ text });
  const said = scenarios.map(({ interactions }) =>
    interactions.map((turn) => [turn.user_message, turn.reference_reply, turn.agent_reply]),
  );
  expect(said).toEqual([
    [
      ["To Europe", "", "Where to?"],
      ["Italy", "", "Nice."],
    ],
    [
      ["To Europe", "Where to?", ""],
      ["Italy", "Nice.", ""],
      ["Reply to And when?", "", ""],
    ],
  ]);
});

test("converts assertions about tools, and declares the provider's tools", () => {
  const text = JSON.stringify({
    prompts: ["{{q}}"],
    providers: [
      {
        id: "openai:gpt",
        config: {
          tools: [
            { type: "function", function: { name: "find", parameters: { type: "object" } } },
            { type: "web_search", name: "web" },
          ],
        },
      },
    ],
    tests: [
      {
        vars: { q: "Hi", order: "7" },
        assert: [
          { type: "tool-call-f1", value: "find, book" },
          { type: "trajectory:tool-used", value: ["find"] },
          { type: "not-trajectory:tool-used", value: { name: "pay" } },
          { type: "trajectory:tool-args-match", value: { name: "find", args: { id: "{{order}}" } } },
          { type: "trajectory:tool-sequence", value: { steps: ["find", "book"] } },
          { type: "trajectory:tool-used", value: { pattern: "a*" } },
        ],
      },
    ],
  });
  const { scenarios, notes } = importScenarios({ text });
  expect(scenarios[0]).toMatchObject({
    interactions: [{ reference_tool_calls: [{ name: "find" }, { name: "book" }] }],
    expect: {
      must_call: ["find", { name: "find", arguments: { id: "7" } }, "find", "book"],
      must_not_call: ["pay"],
      before: [{ first: "find", later: "book" }],
    },
    tool_matching: { extra_arguments: "allow" },
    world: { tools: [{ name: "find", answers: [{}] }] },
  });
  expect(scenarios[0]?.world?.tools).toHaveLength(1);
  expect(notes.map(({ message }) => message)).toContain(
    "assertion trajectory:tool-used has no equivalent check; it was not converted to a check",
  );
});

test("says in one sentence that red teaming is not supported", () => {
  const sentence = /^red teaming is not supported: [^.]+$/;
  expect(() => importScenarios({ text: "targets: [a]\nredteam:\n  plugins: [pii]\n" })).toThrow(sentence);
  const { scenarios, notes } = importScenarios({
    text: "redteam: {}\ntests:\n  - vars: {prompt: Whose number is it?}\n",
  });
  expect(scenarios).toHaveLength(1);
  expect(notes.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^red teaming is not supported/));
  expect(() =>
    importScenarios({ text: '{"entry_type":"init","garak_version":"0.9"}\n{"entry_type":"attempt"}' }),
  ).toThrow(sentence);
});

test("reads further prompts as variants of the same scenarios, and providers as models", () => {
  const text = JSON.stringify({
    prompts: [
      "Answer: {{q}}",
      { label: "polite", raw: "Kindly answer: {{q}}" },
      [
        { role: "system", content: "Be brief." },
        { role: "user", content: "{{q}}" },
      ],
      "file://prompt.js",
    ],
    providers: ["openai:chat:gpt-5", { id: "anthropic:messages:claude-x", config: { temperature: 0 } }, "exec:bot.sh"],
    tests: [{ vars: { q: "Hi?" } }, { vars: { q: "Bye?" }, prompts: ["polite"] }],
  });
  const { scenarios, variants = [], models, notes } = importScenarios({ text, makesVariants: true });
  expect(models).toEqual(["openai/gpt-5", "anthropic/claude-x"]);
  const said = variants.map(({ name, scenarios: own }) => [
    name,
    ...own.map(({ id, system_prompt, interactions: [turn] }) => [
      id === scenarios[0]?.id ? 0 : 1,
      system_prompt,
      turn?.user_message,
      turn?.prompt,
    ]),
  ]);
  expect(said).toEqual([
    ["polite", [0, undefined, "Answer: Hi?", "Kindly answer: Hi?"], [1, undefined, "Kindly answer: Bye?", undefined]],
    ["prompt 3", [0, "Be brief.", "Answer: Hi?", "Hi?"]],
  ]);
  expect(notes.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      "prompt 4 is in a file that cannot be read (file://prompt.js)",
      "the provider exec:bot.sh is not a model; --model names one",
      "settings of the provider anthropic:messages:claude-x: config",
    ]),
  );
});

test("gives tests ids by their descriptions and variables, which stay when the prompt changes", () => {
  const tests = [
    { description: "Greets, in French!", vars: { q: "Hi" } },
    { description: "Twice", vars: { q: "A" } },
    { description: "Twice", vars: { q: "B" } },
    { vars: { q: "C" } },
  ];
  const ids = ["{{q}}", "Please: {{q}}"].map((prompt) =>
    importScenarios({ text: JSON.stringify({ prompts: [prompt], tests }) }).scenarios.map(({ id }) => id),
  );
  expect(ids[0]).toEqual([
    "greets-in-french",
    expect.stringMatching(/^twice-[0-9a-f]{12}$/),
    expect.stringMatching(/^twice-[0-9a-f]{12}$/),
    expect.stringMatching(/^test-[0-9a-f]{12}$/),
  ]);
  expect(ids[1]).toEqual(ids[0]);
  expect(new Set(ids[0]).size).toBe(4);
});
