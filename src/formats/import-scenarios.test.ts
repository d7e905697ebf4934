import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ScenarioInput } from "../contract/scenario.ts";
import { parseMapping } from "./column-mapping.ts";
import { importScenarios, type ImportRequest } from "./import-scenarios.ts";
import type { ImportResult } from "./scenario-file.ts";

function read(name: string, request: Partial<ImportRequest> = {}): ImportResult {
  const text = readFileSync(join(import.meta.dirname, "fixtures", name), "utf8");
  const result = importScenarios({ text, name, ...request });
  for (const scenario of result.scenarios) ScenarioInput.parse(scenario);
  return result;
}

/** Scenario ids with [user, reference] of each turn. */
const outline = ({ scenarios }: ImportResult) =>
  scenarios.map(({ id, interactions }) => [
    id,
    ...interactions.map((turn) => [turn.user_message, turn.reference_reply]),
  ]);

const messages = ({ notes }: ImportResult): string[] =>
  notes.map(({ line, pointer, message }) => [line, pointer, message].filter((part) => part !== undefined).join(" | "));

test("an evaluation request gives its scenario and names the settings it leaves behind", () => {
  const result = read("request.json");
  expect(result.format).toBe("json");
  expect(outline(result)).toEqual([
    ["refund", ["I want a refund.", "May I have the order number?"], ["It is 1234.", "Thank you, it is on its way."]],
  ]);
  expect(result.scenarios[0]?.interactions[0]).toMatchObject({
    id: "i1",
    interaction_type: "opening",
    reference_metadata: { intent: "ask_order", sentiment: "neutral" },
  });
  expect(messages(result)).toEqual(["settings of the run, not of a scenario: endpoint, model_id, attempts, test_name"]);
});

test("JSON lines keep going after a bad line and say which it was", () => {
  const result = read("scenarios.jsonl");
  expect(result.format).toBe("jsonl");
  expect(result.scenarios.map(({ id }) => id)).toEqual([
    "one",
    "one-2",
    expect.stringMatching(/^scenario-[0-9a-f]{12}$/),
  ]);
  expect(messages(result)).toEqual([
    "5 | the line is not valid JSON: unexpected end of the line (column 18)",
    "2 | unknown fields: owner",
    '2 | the id "one" occurs more than once; this one became "one-2"',
    "4 | /interactions/0 | the interaction has no user_message that is text",
    "4 | the scenario was left out for the turn named above",
  ]);
});

test("text that YAML takes for a number stays as it was written; labels are what YAML says", () => {
  const text = `id: 007
description: 2.0
tags: [1.10, no, 0x2]
system_prompt: 0.50
interactions:
  - id: 01
    user_message: 1234567890123456789
    reference_reply: 1.10
    references: [True, 0x1F]
    reference_metadata: { price: 1.10, order: 1234567890123456789 }
`;
  const { scenarios, notes } = importScenarios({ text });
  expect(notes).toEqual([]);
  const turn = { id: "01", user_message: "1234567890123456789", reference_reply: "1.10", references: ["True", "0x1F"] };
  const reference_metadata = { price: 1.1, order: "1234567890123456789" };
  const whole = { id: "007", description: "2.0", tags: ["1.10", "no", "0x2"], system_prompt: "0.50" };
  expect(scenarios).toMatchObject([{ ...whole, interactions: [{ ...turn, reference_metadata }] }]);
});

test("what Python writes for numbers that JSON does not have is read, and what looks like it in a text stays", () => {
  const sample = (input: string, rest: string) => `{"input": "${input}", "target": "x", "metadata": {${rest}}}`;
  const lines = [
    sample('NaN \\"NaN: -Infinity', '"intent": NaN, "sentiment": -Infinity'),
    sample("b", '"intent": "y"'),
  ];
  for (const text of [lines.join("\n"), `[${lines.join(",\n")}]`]) {
    const { format, scenarios, notes } = importScenarios({ text });
    expect(format).toBe("inspect");
    expect(scenarios.flatMap(({ interactions }) => interactions)).toMatchObject([
      { user_message: 'NaN "NaN: -Infinity', reference_metadata: { sentiment: "-Infinity" } },
      { user_message: "b", reference_metadata: { intent: "y" } },
    ]);
    expect(notes.map(({ line, message }) => `${line} ${message}`)).toContain(
      "1 label sentiment: -Infinity is not a JSON number; kept as text",
    );
  }
  expect(() => importScenarios({ text: '{"input": NaN,\n "target": nope}' })).toThrow(
    'line 2, column 12: not valid JSON: unexpected "n"',
  );
});

test("a number too long to be kept exactly is an id with all its digits", () => {
  const lines = ["1234567890123456788", "1234567890123456789", "-1.5e3"].map((id) => `{"id":${id},"input":"Hi?"}`);
  const { scenarios, notes } = importScenarios({ text: lines.join("\n") });
  expect(scenarios.map(({ id }) => id)).toEqual(["1234567890123456788", "1234567890123456789", "-1500"]);
  expect(notes).toEqual([]);
});

test.each([
  ["a table", 'user_message,reference_metadata\nHi,"{""ticket"": 12345678901234567890}"\n'],
  ["a table of Braintrust", 'input,expected,metadata\nHi,Ho,"{""ticket"": 12345678901234567890}"\n'],
])("a long number in a cell of %s keeps its digits", (_name, text) => {
  const mapping = text.startsWith("input") ? { labels: ["ticket"] } : {};
  const { scenarios } = importScenarios({ text, mapping });
  expect(scenarios[0]?.interactions[0]?.reference_metadata).toEqual({ ticket: "12345678901234567890" });
});

test("YAML may merge what an anchor holds, and name an anchor as often as it has scenarios", () => {
  const shared = `shop: &shop
  system_prompt: You answer for a small shop.
  interactions: [{ user_message: Hello, reference_reply: Hi }]
`;
  const documents = Array.from({ length: 300 }, (_, index) => `  - { <<: *shop, id: s${index}, description: own }\n`);
  const { scenarios, notes } = importScenarios({ text: `${shared}scenarios:\n${documents.join("")}`, name: "a.yaml" });
  expect(scenarios).toHaveLength(300);
  expect(scenarios[299]).toMatchObject({
    id: "s299",
    description: "own",
    system_prompt: "You answer for a small shop.",
  });
  expect(notes.filter(({ kind }) => kind !== "dropped")).toEqual([]);
});

test("a JSON list in a file named for JSON lines is read as what it is", () => {
  const list = JSON.stringify([{ input: "Hi?", ideal: "Hello." }], null, 2);
  expect(importScenarios({ text: list, name: "a.jsonl" })).toMatchObject({ format: "openai-evals", notes: [] });
  const { scenarios, notes } = importScenarios({ text: '{"input":\n{"input":"Hi?","ideal":"Yo"}\n', name: "a.jsonl" });
  expect([scenarios.length, notes.length]).toEqual([1, 1]);
});

test("YAML documents are scenarios", () => {
  const result = read("scenarios.yaml");
  expect(result.format).toBe("yaml");
  expect(result.scenarios).toMatchObject([
    {
      id: "opening-hours",
      tags: ["hours", "smoke"],
      system_prompt: "You answer for a bakery.",
      interactions: [{ id: "turn-1" }],
    },
    { id: "delivery", interactions: [{ user_message: "Do you deliver?\nTo the harbour?\n" }, { id: "when" }] },
  ]);
  expect(result.notes).toEqual([]);
});

test("a long table is put together by scenario and turn, its other columns are labels", () => {
  const result = read("long-form.csv");
  expect(result).toMatchObject({ format: "csv", reason: "a table with commas between the columns" });
  expect(outline(result)).toEqual([
    ["refund", ["I want a refund.", "May I have the order number?"], ['It is "1234".', "Thank you, done."]],
    ["hours", ["When do you\nopen?", "At seven."]],
  ]);
  expect(result.scenarios[0]?.interactions.map(({ reference_metadata }) => reference_metadata)).toEqual([
    { intent: "ask_order", sentiment: "neutral", priority: "high" },
    { intent: "confirm", sentiment: "positive" },
  ]);
  expect(messages(result)).toEqual(["6 | the row has no user_message"]);
});

test("a mapping says what the columns of a table are", () => {
  const result = read("mapped.tsv", { mapping: parseMapping("user=frage,expected=antwort,labels=thema") });
  expect(result.format).toBe("tsv");
  expect(outline(result).map(([, turn]) => turn)).toEqual([
    ["Wann öffnet ihr?", "Um sieben."],
    ["Liefert ihr?", "Ja."],
  ]);
  expect(result.scenarios[1]?.interactions[0]?.reference_metadata).toEqual({ thema: "lieferung" });
  expect(() => read("mapped.tsv")).toThrow(
    "no column holds the user's message; name it with the mapping user=…; the columns are frage, antwort, thema",
  );
  expect(() => read("mapped.tsv", { mapping: { user: "fragen" } })).toThrow('there is no column "fragen"');
});

test("objects without a field are told as such, not as columns without a name", () => {
  expect(() => importScenarios({ text: "{}", name: "a.json" })).toThrow("there is nothing in it: a scenario has an id");
});

test("OpenAI chat lines: every user turn with the next assistant text, tools and pictures named", () => {
  const result = read("openai-chat.jsonl");
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
  const result = read("sharegpt.json");
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

test("a misspelt field is named with the one it is near to", () => {
  const turn = { id: "1", user_mesage: "Hi", reference_replay: "Hello", notes: "" };
  const { notes } = importScenarios({ text: JSON.stringify({ id: "a", descripton: "x", interactions: [turn] }) });
  expect(notes.map(({ message }) => message)).toEqual([
    "unknown fields: descripton (did you mean description?)",
    "unknown fields: user_mesage (did you mean user_message?), reference_replay (did you mean reference_reply?), notes",
    "the interaction has no user_message that is text",
    "the scenario was left out for the turn named above",
  ]);
});

test("a field that holds something else than it should is named, not lost", () => {
  const turn = { user_message: "Hi", reference_reply: ["Hello"], references: "Hey", reference_metadata: "greeting" };
  const wrong = { id: "a", tags: "short", interactions: [turn] };
  const tagged = { id: "t", tags: "short", interactions: [{ user_message: "Hi" }] };
  const right = { id: "b", description: 7, system_prompt: null, interactions: [{ user_message: "Hi" }] };
  const { scenarios, notes } = importScenarios({ text: JSON.stringify([wrong, tagged, right]) });
  expect(scenarios).toMatchObject([{ id: "b", description: "7" }]);
  expect(notes.map(({ pointer, message }) => `${pointer}: ${message}`)).toEqual([
    "/0/tags: tags must be a list",
    "/0/interactions/0/reference_reply: reference_reply must be text; further replies go under references",
    "/0/interactions/0/references: references must be a list",
    "/0/interactions/0/reference_metadata: reference_metadata must be an object",
    "/0: the scenario was left out for the turn named above",
    "/1/tags: tags must be a list",
    "/1: the scenario was left out for the field named above",
  ]);
});

test("turns without a dash, or under another name, are told as that", () => {
  const dashless = importScenarios({ text: "id: a\ninteractions:\n  user_message: Hi\n", name: "a.yaml" });
  const renamed = importScenarios({ text: "id: a\nturns:\n  - user_message: Hi\n", name: "a.yaml" });
  const missing = "the item is not a scenario: it has no list of interactions";
  expect(messages(dashless)).toEqual([missing]);
  expect(messages(renamed)).toEqual(["unknown fields: turns", missing]);
});

test("a check that lacks something is told with what it lacks", () => {
  const checks = [{ type: "contains" }, { type: "contain", text: "x" }];
  const turn = { user_message: "Hi", checks };
  const { notes } = importScenarios({ text: JSON.stringify({ id: "a", interactions: [turn] }) });
  expect(notes.map(({ message }) => message)).toEqual([
    "the scenario is not valid: text is required",
    expect.stringMatching(/^the scenario is not valid: type must be one of "contains", "regex"/),
  ]);
});

test("a promptfoo config: prompts filled in, values multiplied out, assertions sorted", () => {
  const result = read("promptfooconfig.yaml");
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
      "3 | /prompts | prompt 2; scenarios are made with the first",
      "38 | /tests/2 | this is in another place (file://more-tests.yaml); import that file by itself",
      "31 | /tests/0/assert/4 | assertion javascript: it runs code of its own",
      "34 | /tests/1 | not part of a scenario: options.transform",
    ]),
  );
});

test("promptfoo tests of one conversation are the turns of one scenario, in order", () => {
  const result = read("promptfoo-conversation.yaml");
  expect(outline(result)).toEqual([
    ["facebook", ["Who founded Facebook?", ""], ['Where does he "live"?', "In Palo Alto."]],
    ["park", ["Where is Yosemite?", ""]],
    [expect.stringMatching(/^scenario-/), ["Which state is that in?", ""]],
  ]);
  expect(result.scenarios.map(({ system_prompt }) => system_prompt)).toEqual(Array(3).fill("You know companies."));
});

test("promptfoo tests may stand by themselves, one a line or in a list, and notes name their place", () => {
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

test("instruction and input of a row are what the user says", () => {
  const rows = [
    { instruction: "Give a tip.", input: "", output: "Sleep." },
    { instruction: "Translate.", input: "Hello", output: "Bonjour" },
  ];
  const { scenarios, notes } = importScenarios({ text: JSON.stringify(rows), name: "alpaca.json" });
  expect(scenarios.map(({ interactions: [turn] }) => [turn?.user_message, turn?.reference_reply])).toEqual([
    ["Give a tip.", "Sleep."],
    ["Translate.\n\nHello", "Bonjour"],
  ]);
  expect(notes).toEqual([]);
  const mapped = importScenarios({ text: JSON.stringify(rows), mapping: { user: "input" } });
  expect(mapped.scenarios.map(({ interactions }) => interactions[0]?.user_message)).toEqual(["Hello"]);
});

test("columns of longer texts are no labels unless they are named as such", () => {
  const text = `question,best answer,topic,context,source\nWhy?,Because.,reasons,"${"long ".repeat(30)}",https://a.example\n`;
  const { scenarios, notes } = importScenarios({ text, name: "questions.csv" });
  expect(scenarios[0]?.interactions[0]).toMatchObject({
    reference_reply: "Because.",
    reference_metadata: { topic: "reasons" },
  });
  expect(notes.map(({ message }) => message)).toEqual([
    "column context: it holds texts, not labels; to take it for one, name it with the mapping labels=…",
    "column source: it holds texts, not labels; to take it for one, name it with the mapping labels=…",
  ]);
  const named = importScenarios({ text, name: "questions.csv", mapping: { labels: ["source"] } });
  expect(named.scenarios[0]?.interactions[0]?.reference_metadata).toEqual({ source: "https://a.example" });
});

test("a table of DeepEval goldens has no labels for the reply in it", () => {
  const text =
    "input,actual_output,expected_output,retrieval_context,context,name,comments,source_file,reviewer\n" +
    '"{not: json}",Everest,Mount Everest,heights|peaks,Geography,mountain,Easy,,Ann\n';
  const { scenarios, notes } = importScenarios({ text, name: "goldens.csv" });
  expect(scenarios).toMatchObject([
    {
      id: "mountain",
      description: "Easy",
      interactions: [
        {
          user_message: "{not: json}",
          agent_reply: "Everest",
          reference_reply: "Mount Everest",
          reference_metadata: {},
        },
      ],
    },
  ]);
  expect(notes).toMatchObject([{ line: 2, message: "not part of a scenario: retrieval_context, context, reviewer" }]);
});

test("a table of DeepEval conversations has their turns as JSON in a cell", () => {
  const turns = JSON.stringify([
    { role: "user", content: "Rain?" },
    { role: "assistant", content: "Yes." },
  ]);
  const text = `scenario,turns,expected_outcome\nWeather,"${turns.replaceAll('"', '""')}",Knows it\n`;
  const { scenarios } = importScenarios({ text, name: "goldens.csv" });
  const checks = [{ type: "rubric", text: "Knows it" }];
  expect(scenarios).toMatchObject([{ interactions: [{ user_message: "Rain?", reference_reply: "Yes.", checks }] }]);
});

test("in tables of Inspect and Langfuse metadata is no label unless it is named as one", () => {
  const inspect = `input,target,metadata\nHi,Hello,"{""intent"": ""greeting"", ""age"": 42}"\n`;
  const langfuse = `input,expectedOutput,metadata\nHi,Hello,"{""intent"": ""greeting"", ""age"": 42}"\n`;
  for (const text of [inspect, langfuse]) {
    const [plain] = importScenarios({ text, name: "samples.csv" }).scenarios;
    expect(plain?.interactions[0]).toMatchObject({ reference_reply: "Hello", reference_metadata: {} });
    const named = importScenarios({ text, name: "samples.csv", mapping: { labels: ["intent"] } });
    expect(named.scenarios[0]?.interactions[0]?.reference_metadata).toEqual({ intent: "greeting" });
  }
});

test("promptfoo message lists are conversations even when the prompt is elsewhere", () => {
  const result = read("promptfoo-messages.yaml");
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

test("promptfoo results give the tests with the first recorded reply", () => {
  const result = read("promptfoo-results.json");
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
])("promptfoo results without any, %s: the tests of their configuration are read", (_name, file) => {
  const config = {
    prompts: ["Say {{ word }}"],
    tests: [{ vars: { word: "hi" }, assert: [{ type: "equals", value: "hi" }] }],
  };
  const result = importScenarios({ text: JSON.stringify({ ...file, config }) });
  expect(result.format).toBe("promptfoo-results");
  expect(outline(result).map((entry) => entry.slice(1))).toEqual([[["Say hi", "hi"]]]);
  expect(messages(result)).toEqual(["no result is recorded; the tests of the configuration in it were read"]);
});

test("OpenAI Evals output items and data lines", () => {
  const result = read("openai-evals-output.jsonl");
  expect(result.format).toBe("openai-evals");
  expect(result.scenarios).toMatchObject([
    {
      id: "5",
      system_prompt: "Name the queue.",
      interactions: [
        {
          user_message: "My card was charged twice",
          reference_reply: "billing",
          agent_reply: "payments",
          reference_metadata: { intent: "complaint" },
        },
      ],
    },
    { interactions: [{ user_message: "Is it open?", reference_reply: "Yes" }] },
  ]);
  expect(messages(result)).toContain("1 | results of the past run: String check failed");
  expect(messages(result)).toContain("2 | another reply to item 5; the first was kept");
});

test("OpenAI Evals samples with several ideal answers", () => {
  const result = read("openai-evals-samples.jsonl");
  expect(result.format).toBe("openai-evals");
  expect(result.scenarios).toMatchObject([
    {
      system_prompt: "Complete the phrase.",
      interactions: [{ user_message: "Once upon a ", reference_reply: "time" }],
    },
    {
      interactions: [
        {
          user_message: "The first US president was ",
          reference_reply: "George Washington",
          references: ["Washington"],
        },
      ],
    },
  ]);
});

test("Inspect samples of text and of messages", () => {
  const result = read("inspect-samples.json");
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
    "2 | /0/metadata | metadata is not scored, so it was left out: difficulty (name labels with the mapping labels=…)",
    "3 | /1 | not part of a scenario: choices",
  ]);
});

test("the choices of an Inspect sample are asked with it where its target names them", () => {
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
    "1 | /0 | the choices were written below the question",
    "1 | /1 | the choices were written below the question",
    "1 | /2 | not part of a scenario: choices",
  ]);
  const table = importScenarios({ text: 'input,choices,target\nWhich?,"2,1",B\n', name: "samples.csv" });
  expect(table.scenarios[0]?.interactions[0]?.user_message).toBe("Which?\n\nA) 2\nB) 1");
});

test("an Inspect log gives its samples once, with what the model said", () => {
  const result = read("inspect-log.json");
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

test("what a solver told the model in an Inspect log is the system prompt", () => {
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

test("what a sample of an Inspect log needs beside its question is named, but for choices that stand in it", () => {
  const asked = [{ role: "user", content: "Which is red?\n\nA) apple\nB) pear" }];
  const samples = [
    { id: "asked", input: "Which is red?", choices: ["apple", "pear"], target: "A", messages: asked, files: [] },
    { id: "alone", input: "Which is red?", choices: ["apple", "pear"], target: "A", setup: "ls", sandbox: null },
  ];
  const result = importScenarios({ text: JSON.stringify({ eval: {}, samples }) });
  expect(result.scenarios).toHaveLength(2);
  expect(messages(result)).toEqual(["1 | /samples/1 | not part of a scenario: choices, setup"]);
});

test("DeepEval goldens of one turn and of many", () => {
  const result = read("deepeval-goldens.json");
  expect(result.format).toBe("deepeval");
  expect(result.scenarios).toMatchObject([
    {
      id: "return",
      interactions: [
        { reference_reply: "Within 30 days.", agent_reply: "No", reference_metadata: { intent: "return" } },
      ],
    },
    {
      description: "An angry customer wants to cancel",
      interactions: [
        { reference_reply: "Which order?" },
        { user_message: "The last one.", checks: [{ type: "rubric", text: "The order is cancelled politely" }] },
      ],
    },
  ]);
  expect(messages(result)).toContain(
    "20 | /2 | the golden has no scripted user turns (its conversation would be simulated)",
  );
});

test("DeepEval goldens whose turns were written as JSON text", () => {
  const turns = [
    { role: "user", content: "Where is my order?" },
    { role: "assistant", content: "On its way." },
  ];
  const goldens = [{ scenario: "A late parcel", turns: JSON.stringify(turns), expected_outcome: "It is found" }];
  expect(importScenarios({ text: JSON.stringify(goldens) })).toMatchObject({
    format: "deepeval",
    scenarios: [
      {
        interactions: [
          {
            user_message: "Where is my order?",
            reference_reply: "On its way.",
            checks: [{ type: "rubric", text: "It is found" }],
          },
        ],
      },
    ],
  });
});

test("ADK eval sets: invocations are turns, tools and state are named", () => {
  const result = read("adk.evalset.json");
  expect(result.format).toBe("adk");
  expect(outline(result)).toEqual([["lights", ["Turn off device_2.", "Done, it is off."], ["And device_3?", ""]]]);
  expect(messages(result)).toEqual([
    "8 | /eval_cases/0/conversation/0 | expected tool calls are not part of a scenario",
    "17 | /eval_cases/0/conversation/1 | only text is kept; left out: inline_data",
    "25 | /eval_cases/0/session_input | the session's first state: room",
    "27 | /eval_cases/1 | the eval case has no scripted conversation (conversation_scenario is simulated by ADK)",
  ]);
});

test("what ADK's eval sets are judged by is named, and is no row of a table", () => {
  const criteria = { tool_trajectory_avg_score: 1, rubric_based_v1: { threshold: 0.8, rubrics: [] } };
  const { format, scenarios, notes } = importScenarios({ text: JSON.stringify({ criteria }) });
  expect([format, scenarios]).toEqual(["adk", []]);
  expect(notes.map(({ message }) => message)).toEqual([
    "criteria of a run, not of a scenario: tool_trajectory_avg_score 1, rubric_based_v1 0.8; what a run has to reach is said by its gates",
  ]);
  expect(importScenarios({ text: JSON.stringify({ question: "Hi?", criteria }) }).format).toBe("rows");
});

test("of what MLflow expects, the response is the reference, and what was answered is not", () => {
  const expectations = { expected_response: "A platform", expected_facts: ["free", "open"] };
  const { scenarios, notes } = importScenarios({
    text: JSON.stringify([
      { inputs: { question: "What is it?" }, outputs: { response: "A tool" }, expectations },
      { inputs: { question: "And why?" }, outputs: "Because", expectations: { expected_facts: ["free"] } },
    ]),
  });
  expect(scenarios.map(({ interactions }) => interactions[0])).toMatchObject([
    { user_message: "What is it?", reference_reply: "A platform", agent_reply: "A tool" },
    { user_message: "And why?", reference_reply: "", agent_reply: "Because" },
  ]);
  expect(notes).toMatchObject([
    { pointer: "/0/expectations", message: "not part of a scenario: expected_facts" },
    { pointer: "/1/expectations", message: "not part of a scenario: expected_facts" },
  ]);
});

test("what else an item of LangSmith or Langfuse has is named, but for ids and times", () => {
  const item = { id: "1", created_at: "2026-01-01", attachments: { "a.png": {} } };
  const langsmith = { ...item, inputs: { question: "Hi?" }, outputs: { answer: "Ho" }, dataset_id: "d" };
  const langfuse = { ...item, input: "Hi?", expectedOutput: "Ho", sourceTraceId: "t", status: "ACTIVE" };
  for (const value of [langsmith, langfuse]) {
    const { notes } = importScenarios({ text: JSON.stringify([value]) });
    expect(notes.map(({ message }) => message)).toEqual(["not part of a scenario: attachments"]);
  }
});

test("a registry of OpenAI's evals says which files have their samples", () => {
  const text = "move:\n  id: move.v0\nmove.v0:\n  class: evals:Match\n  args:\n    samples_jsonl: move/samples.jsonl\n";
  const { format, notes } = importScenarios({ text, name: "move.yaml" });
  expect(format).toBe("openai-evals");
  expect(notes.map(({ message }) => message)).toEqual([
    "this says how evals are made; import their samples: move/samples.jsonl",
  ]);
});

test("LangSmith examples, LangChain messages among them", () => {
  const result = read("langsmith.jsonl");
  expect(result.format).toBe("langsmith");
  expect(result.scenarios).toMatchObject([
    {
      id: "6f1c1f6e-0000-4000-8000-000000000001",
      interactions: [
        {
          user_message: "Which mammal lays eggs?",
          reference_reply: "The platypus",
          reference_metadata: { sentiment: "neutral" },
        },
      ],
    },
    { system_prompt: "Be kind.", interactions: [{ user_message: "Hello", reference_reply: "Hello, friend" }] },
    { interactions: [{ user_message: '{"a":"1","b":"2"}', reference_reply: "" }] },
  ]);
  expect(messages(result)).toContain(
    "3 | /inputs | no field is known to be the user's message; the whole input was kept as JSON text",
  );
});

test("what LangSmith recorded of a run is what was answered, and the steps of a run are no scenarios", () => {
  const lines = [
    { id: "1", inputs: { question: "Hi?" }, outputs: { answer: "said" }, reference_outputs: { answer: "wanted" } },
    { run_id: "2", run_type: "chain", parent_run_id: null, inputs: { question: "Ho?" }, outputs: { answer: "said" } },
    { run_id: "3", run_type: "tool", parent_run_id: "2", inputs: { query: "x" }, outputs: { output: "y" } },
  ];
  const { scenarios, notes } = importScenarios({ text: lines.map((line) => JSON.stringify(line)).join("\n") });
  expect(scenarios).toMatchObject([
    { id: "1", interactions: [{ user_message: "Hi?", reference_reply: "wanted", agent_reply: "said" }] },
    { id: "2", interactions: [{ user_message: "Ho?", reference_reply: "", agent_reply: "said" }] },
  ]);
  expect(notes.map(({ line, message }) => [line, message])).toEqual([[3, "this is a step of another run"]]);
});

test("Langfuse dataset items, archived ones left out", () => {
  const result = read("langfuse.json");
  expect(result.format).toBe("langfuse");
  expect(outline(result)).toEqual([
    ["item-1", ["Hi", "Hello"]],
    ["item-3", ["Open?", "Yes"]],
  ]);
  expect(messages(result)).toContain("11 | /data/1 | the item is archived");
});

test("ids from content are the same in every import", () => {
  const text = '{"question":"Open?","answer":"Yes"}';
  const [first, second] = [importScenarios({ text }), importScenarios({ text: `[${text}]` })];
  expect(first.format).toBe("rows");
  expect(first.scenarios[0]?.id).toBe(second.scenarios[0]?.id);
});

test("of several prompts and attempts, what is left out is counted in plain words", () => {
  const messages = (count: number) => {
    const prompts = Array.from({ length: count }, (_, index) => `{{q}} ${index}`);
    const { notes } = importScenarios({ text: JSON.stringify({ prompts, tests: [{ vars: { q: "Hi?" } }] }) });
    return notes.flatMap(({ pointer, message }) => (pointer === "/prompts" ? [message] : []));
  };
  expect(messages(1)).toEqual([]);
  expect(messages(2)).toEqual(["prompt 2; scenarios are made with the first"]);
  expect(messages(3)).toEqual(["prompts 2 to 3; scenarios are made with the first"]);
});
