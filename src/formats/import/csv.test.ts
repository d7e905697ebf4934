import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseExpected } from "./promptfoo/test-rows.ts";
import { importScenarios } from "../import-scenarios.ts";

const read = (name: string) =>
  importScenarios({ text: readFileSync(join(import.meta.dirname, "../fixtures", name), "utf8"), name });

test("reads a table of promptfoo tests: expected cells as assertions, rows of a conversation as turns", () => {
  const { scenarios, checks, notes } = read("promptfoo-tests.csv");
  expect(
    scenarios.map(({ id, interactions }) => [
      id,
      ...interactions.map((turn) => [turn.user_message, turn.reference_reply]),
    ]),
  ).toEqual([
    ["capital", ["What is the capital of France?", "Paris"]],
    ["order-7", ["Where is my order?", "It was sent today."], ["And when does it arrive?", ""]],
    [expect.stringMatching(/^test-/), ["Reply in JSON", ""]],
  ]);
  expect(scenarios[0]).toMatchObject({
    description: "capital",
    interactions: [{ reference_metadata: { intent: "geography" } }],
  });
  expect(scenarios.flatMap(({ interactions }) => interactions.map((turn) => turn.checks))).toEqual([
    [
      {
        type: "group",
        threshold: 0.5,
        checks: [
          { type: "equals", text: "Paris", ignore_case: false, negate: false },
          { type: "contains", text: "paris", mode: "all", ignore_case: true },
        ],
      },
    ],
    [
      { type: "similarity", metric: "semantic", reference: "It was sent today.", threshold: 0.8 },
      { type: "contains", text: "sorry", mode: "none", ignore_case: false },
    ],
    [{ type: "contains", text: ["Friday", "Saturday"], mode: "any", ignore_case: false }],
    [{ type: "json_schema", schema: {} }],
  ]);
  expect(checks).toEqual([]);
  expect(notes.map(({ line, message }) => `${line} ${message}`)).toEqual([
    "6 the test reads question from another file; it was dropped",
    "undefined intent is a label: replies are compared with it",
    "2 not part of the user's message; kept as metadata: tone",
    "3 not part of the user's message; kept as metadata: tone",
    "4 not part of the user's message; kept as metadata: tone",
    "4 assertion javascript: it is code, which is imported only when allowed",
    "5 not part of the user's message; kept as metadata: tone",
  ]);
});

test.each([
  ["Paris", { type: "equals", value: "Paris" }],
  ["note: this is no assertion", { type: "equals", value: "note: this is no assertion" }],
  ["equals: a: b", { type: "equals", value: "a: b" }],
  ["similar(0.75): Yes\nsir", { type: "similar", value: "Yes\nsir", threshold: 0.75 }],
  ["grade: is polite", { type: "llm-rubric", value: "is polite" }],
  ["not-is-json", { type: "not-is-json" }],
  ["latency(800)", { type: "latency", threshold: 800 }],
  ["contains", { type: "equals", value: "contains" }],
  ["ruby", { type: "equals", value: "ruby" }],
  ["is-refusal", { type: "is-refusal" }],
  ["answer-relevance(0.8)", { type: "answer-relevance", threshold: 0.8 }],
  ["context-recall(0.9): Paris is a city", { type: "context-recall", value: "Paris is a city", threshold: 0.9 }],
  ["trajectory:tool-used: search", { type: "trajectory:tool-used", value: "search" }],
  ["file://checks/tone.py:polite", { type: "python", value: "file://checks/tone.py:polite" }],
  ["file://checks/tone.mjs", { type: "javascript", value: "file://checks/tone.mjs" }],
])("parses the expected cell %j", (cell, assertion) => {
  expect(parseExpected(cell)).toEqual(assertion);
});

test("uses or notes the other columns of a table of promptfoo tests", () => {
  const columns =
    "question,__expected1,__expected2,__prefix,__metric,__config:__expected2:threshold,__metadata:topics[],__threshold";
  const row = 'Hi,"contains-any: no, ""closed, sorry""",levenshtein: Hello,Please: ,Tone,4,"a,b\\,c",0.5';
  const files = () => [{ name: "tests.csv", text: `${columns}\n${row}\n` }];
  const text = "prompts: ['{{question}}']\ntests: file://tests.csv\n";
  const { scenarios, notes } = importScenarios({ text, files, mapping: { labels: ["topics"] } });
  expect(scenarios).toMatchObject([
    {
      interactions: [
        {
          user_message: "Please: Hi",
          reference_reply: "",
          reference_metadata: { topics: ["a", "b,c"] },
          checks: [
            {
              type: "group",
              threshold: 0.5,
              checks: [
                { type: "contains", name: "Tone", text: ["no", "closed, sorry"], mode: "any" },
                { type: "edit_distance", reference: "Hello", max: 4 },
              ],
            },
          ],
        },
      ],
    },
  ]);
  expect(notes.map(({ message }) => message)).toEqual([
    "tests.csv:2: topics is a label: replies are compared with it",
    "tests.csv:2: settings of the assertion levenshtein: metric Tone",
  ]);
});

const judged = "Status,Score,Named Scores,Grader Reason,Comment";
const passed = "PASS,1.00,,All assertions passed,";

test.each([
  [
    "today's",
    `Description,question,tone,[a:x] Be {{tone}}: {{question}},${judged},[b] Say {{question}},${judged}`,
    `greeting,Hi,kind,Hello,${passed},Bye,${passed}`,
    "Hello",
  ],
  ["an older", "question,tone,[a:x] Be {{tone}}: {{question}}", 'Hi,kind,"[PASS] (1.00)\n\nHello"', ""],
])(
  "reads a table of promptfoo results, %s: the prompt is the question, the reply is not a label",
  (_when, head, row, reply) => {
    const { scenarios, notes } = importScenarios({ text: `${head}\n${row}\n`, name: "results.csv" });
    expect(scenarios).toMatchObject([
      {
        description: head.startsWith("Description") ? "greeting" : "",
        interactions: [
          { user_message: "Be kind: Hi", agent_reply: reply, reference_reply: "", reference_metadata: {} },
        ],
      },
    ]);
    expect(notes).toContainEqual({
      kind: "dropped",
      line: 1,
      message: expect.stringMatching(/^results of the past run: (?:Status, Score|\[a:x\])/),
    });
  },
);

test("reads JSON in the cells of a Langfuse table", () => {
  const { scenarios, notes } = read("langfuse.csv");
  expect(scenarios).toMatchObject([
    {
      id: "item-1",
      interactions: [
        { user_message: "Are you open?", reference_reply: "Until six.", reference_metadata: { intent: "hours" } },
      ],
    },
    { id: "item-3", interactions: [{ user_message: "Goodbye", reference_reply: "See you" }] },
  ]);
  expect(notes).toEqual([
    { kind: "kept", message: "intent is a label: replies are compared with it" },
    { kind: "dropped", line: 3, message: "the item is archived" },
  ]);
});

test("reads the data of an OpenAI Evals run, and notes an eval without data", () => {
  expect(read("openai-evals-run.json").scenarios).toMatchObject([
    { interactions: [{ user_message: "My monitor does not turn on", reference_reply: "Hardware" }] },
    { interactions: [{ user_message: "I forgot my password", reference_reply: "Access" }] },
  ]);
  const { scenarios, notes } = importScenarios({ text: '{"object": "eval", "testing_criteria": []}' });
  expect(scenarios).toEqual([]);
  expect(notes).toMatchObject([{ message: expect.stringContaining("import its data file") }]);
});

test("detects ShareGPT with role and content, and DeepEval's conversational test cases", () => {
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello" },
  ];
  const turn = [{ user_message: "Hi", reference_reply: "Hello" }];
  for (const [value, format] of [
    [[{ conversations: messages }], "sharegpt"],
    [{ conversational_test_cases: [{ turns: messages }] }, "deepeval"],
  ]) {
    const result = importScenarios({ text: JSON.stringify(value) });
    expect(result).toMatchObject({ format, scenarios: [{ interactions: turn }] });
  }
});

test("finds the reply in a LangSmith dataset made from traces", () => {
  const ai = { lc: 1, type: "constructor", id: ["langchain", "schema", "messages", "AIMessage"] };
  const outputs = [
    { generations: [[{ text: "Hello", message: { ...ai, kwargs: { content: "Hello" } } }]], type: "LLMResult" },
    { generations: [{ text: "Hello" }], type: "LLMResult" },
    { id: "chatcmpl-1", object: "chat.completion", choices: [{ message: { role: "assistant", content: "Hello" } }] },
    { candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] } }], model_version: "gemini" },
    { answer: "Hello", choices: ["Hello", "Bye"] },
    { answer: "Hello", sources: [] },
  ];
  const lines = outputs.map((output, id) => JSON.stringify({ id, inputs: { question: "Hi" }, outputs: output }));
  const { scenarios, notes } = importScenarios({ text: lines.join("\n") });
  const replies = scenarios.flatMap(({ interactions }) => interactions.map(({ reference_reply }) => reference_reply));
  expect(replies).toEqual(outputs.map(() => "Hello"));
  expect(notes).toEqual([
    { kind: "dropped", line: 5, pointer: "/outputs", message: "not part of the expected reply: choices" },
  ]);
});

test("notes other fields of a dataset's input and output", () => {
  const item = (input: object) => ({ id: "1", input, expectedOutput: { answer: "A", citations: [1] } });
  const question = { question: "Q", context: "Read this.", k: 3, filter: null };
  const messages = [{ role: "user", content: "Q" }];
  for (const input of [question, { input: question }, { messages, context: "Read this.", k: 3 }]) {
    const { scenarios, notes } = importScenarios({ text: JSON.stringify([item(input)]), format: "langfuse" });
    const turn = { user_message: "Q", reference_reply: "A", context: [{ text: "Read this." }] };
    expect(scenarios).toMatchObject([{ interactions: [turn] }]);
    expect(notes.map(({ pointer, message }) => `${pointer} ${message}`)).toEqual([
      "/0/input not part of the user's message; kept as metadata: k",
      "/0/expectedOutput not part of the expected reply: citations",
    ]);
  }
});

test("keeps the speakers of examples in the system prompt of an OpenAI sample", () => {
  const input = [
    { role: "system", content: "Add." },
    { role: "system", name: "example_user", content: "1+1" },
    { role: "system", name: "example_assistant", content: "2" },
    { role: "user", name: "ann", content: "2+2" },
  ];
  const { scenarios } = importScenarios({ text: JSON.stringify({ input, ideal: "4" }), format: "openai-evals" });
  expect(scenarios).toMatchObject([
    {
      system_prompt: "Add.\n\nexample_user: 1+1\n\nexample_assistant: 2",
      interactions: [{ user_message: "2+2", reference_reply: "4" }],
    },
  ]);
});

test("expects the tools of a DeepEval turn, and notes other fields", () => {
  const turns = [
    { role: "user", content: "Hi", tools_called: null },
    {
      role: "assistant",
      content: "Hello",
      retrieval_context: ["a"],
      mcp_interaction: true,
      tools_called: [{ name: "greet" }],
    },
  ];
  const text = JSON.stringify([{ scenario: "s", turns }]);
  const { notes, scenarios } = importScenarios({ text, format: "deepeval" });
  expect(notes).toMatchObject([{ pointer: "/0/turns/1", message: "not part of a scenario: mcp_interaction" }]);
  expect(scenarios[0]?.interactions).toMatchObject([
    { reference_reply: "Hello", context: [{ text: "a" }], reference_tool_calls: [{ name: "greet" }] },
  ]);
});

test("reads question, answer and labels from the JSON of a Braintrust table", () => {
  const row = String.raw`1,"{""question"": ""2+2?""}",4!,"{""answer"": ""4""}","{""topic"": ""math"", ""intent"": ""ask""}","[""smoke""]",0.5`;
  const text = `id,input,output,expected,metadata,tags,scores.Levenshtein\n${row}\n`;
  const { scenarios, notes } = importScenarios({ text });
  expect(scenarios).toMatchObject([
    {
      id: "1",
      tags: ["smoke"],
      interactions: [{ user_message: "2+2?", reference_reply: "4", reference_metadata: { intent: "ask" } }],
    },
  ]);
  expect(notes.map(({ message }) => message.replace(/:.*/, ""))).toEqual([
    "intent is a label",
    "metadata is kept, not scored",
    "column output",
    "kept as metadata, not scored",
  ]);
  const mapped = importScenarios({ text, mapping: { labels: ["topic"] } });
  expect(mapped.scenarios[0]?.interactions[0]?.reference_metadata).toEqual({ topic: "math" });
});

test("does not use the target of a red team report as an answer", () => {
  const columns = "Test ID,Plugin,Strategy,Target,Prompt,Response,Pass,Score,Reason,Timestamp";
  const text = `${columns}\n1,pii:social,basic,shop-bot,Whose number is it?,I cannot say.,Pass (1),1,fine,2026-01-01\n`;
  const { scenarios, notes } = importScenarios({ text });
  expect(scenarios).toMatchObject([
    {
      tags: ["pii:social", "basic"],
      interactions: [
        {
          user_message: "Whose number is it?",
          reference_reply: "",
          agent_reply: "I cannot say.",
          reference_metadata: {},
        },
      ],
    },
  ]);
  expect(notes.map(({ message }) => message)).toEqual([
    "results of the past run: Test ID, Target, Pass, Score, Reason, Timestamp",
  ]);
});

test("detects an Inspect table by its sandbox, which is not a label", () => {
  const { scenarios, notes } = importScenarios({
    text: 'input,target,sandbox\nHi,Ho,"[""docker"",""compose.yaml""]"\n',
  });
  expect(scenarios[0]?.interactions[0]?.reference_metadata).toEqual({});
  expect(notes.map(({ message }) => message)).toEqual(["kept as metadata, not scored: sandbox"]);
});
