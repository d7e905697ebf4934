import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { messages, readFixture } from "../../../../test/support/read-fixture.ts";
import { importScenarios } from "../../import-scenarios.ts";
import { companionsAmong } from "../../detect-format.ts";

const fixture = (name: string) => ({
  name,
  text: readFileSync(join(import.meta.dirname, "../../fixtures/openai-evals", name), "utf8"),
});
const parts = ["runs.json", "file-Kd83hXz1.jsonl", "output_items.json"];

/** Imports the eval of the fixtures together with other files. */
const withEval = (...beside: { name: string; text: string }[]) => importScenarios({ ...fixture("eval.json"), beside });
const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");
const rows = (...values: unknown[]) => ({ name: "data.jsonl", text: lines(...values) });

test("reads an eval with its runs, data and output items: each row is one scenario", () => {
  const { format, reason, scenarios, notes } = withEval(...parts.map(fixture));
  expect([format, reason]).toEqual([
    "openai-evals",
    `JSON: it is an eval or a run of one; read with ${parts.join(", ")}`,
  ]);
  expect(scenarios.map(({ id }) => id)).toEqual(["shop-support-0", "shop-support-1", "shop-support-2"]);
  expect(scenarios[1]).toMatchObject({
    system_prompt: "You answer for a small shop. The customer has the plan plus.",
    tags: ["Shop support"],
    interactions: [
      {
        user_message: "How long does delivery take?",
        reference_reply: "Standard delivery takes 2 to 4 working days.",
        agent_reply: "Standard delivery takes 2 to 4 working days.",
      },
    ],
  });
  expect(scenarios[1]?.interactions[0]?.checks?.map(({ name, type }) => [name, type])).toEqual([
    ["Names_the_fact", "contains"],
    ["Close_to_the_answer", "similarity"],
    ["Tone", "rubric"],
    ["Helpful", "rubric"],
  ]);
  expect(notes.map(({ kind, file, line, message }) => [kind, file, line, message.slice(0, 60)])).toEqual([
    ["changed", undefined, 74, 'grader "Tone" became a rubric for the judge of the run (poli'],
    ["changed", undefined, 101, 'grader "Helpful" became a rubric for the judge of the run (1'],
    ["dropped", undefined, 124, 'grader "Short" runs its own code, which is not executed here'],
    ["dropped", undefined, 65, 'grader "Fuzzy" uses fuzzy_match with the threshold 0.8, whic'],
    ["dropped", "runs.json", 61, "settings of the run, not of a scenario: model gpt-4.1-mini, "],
    ["dropped", "output_items.json", 4, "results of the past run evalrun_68a1f4b7c4d08190a92b3c1d5e6f"],
  ]);
  expect(notes.at(-1)?.message).toContain("Names the fact passed 2 of 3, Close to the answer passed 3 of 3");
});

test.each([
  [["runs.json", "file-Kd83hXz1.jsonl"], "You answer for a small shop. The customer has the plan basic."],
  [["output_items.json"], "You answer for a small shop. The customer has the plan basic."],
  [["file-Kd83hXz1.jsonl"], undefined],
])("reads an eval with %j", (names, system_prompt) => {
  const { scenarios } = withEval(...names.map(fixture));
  expect(scenarios).toHaveLength(3);
  expect(scenarios[0]).toMatchObject({ interactions: [{ user_message: "How long does a refund take?" }] });
  expect(scenarios[0]?.system_prompt).toBe(system_prompt);
  expect(scenarios[0]?.interactions[0]?.checks).toHaveLength(4);
});

test("reads data as rows without item, as a table, or as lines of one file with the eval", () => {
  const row = { question: "Is it open?", answer: "Yes, until six.", must_mention: "six", customer: { plan: "plus" } };
  const wanted = { interactions: [{ user_message: "Is it open?", reference_reply: "Yes, until six." }] };
  expect(withEval(rows(row)).scenarios).toMatchObject([wanted]);
  expect(importScenarios({ text: lines(JSON.parse(fixture("eval.json").text), row) }).scenarios).toMatchObject([
    wanted,
  ]);
  const table = 'question,answer,must_mention\nIs it open?,"Yes, until six.",six\n';
  const read = withEval({ name: "data.csv", text: table });
  expect(read.scenarios).toMatchObject([wanted]);
  expect(read.notes.find(({ file }) => file === "data.csv")).toMatchObject({
    line: 2,
    message: 'grader "Tone" reads item.customer.plan, which this row does not have',
  });
});

test("reads items exported by the dashboard with and without their eval", () => {
  const name = "openai-evals-items.jsonl";
  const alone = readFixture(name);
  expect(alone.scenarios).toMatchObject([
    { id: "0", interactions: [{ agent_reply: expect.stringContaining("5 working") }] },
    {},
    {},
  ]);
  expect(messages(alone).filter((text) => text.includes("results"))).toHaveLength(1);
  const text = readFileSync(join(import.meta.dirname, "../../fixtures", name), "utf8");
  expect(
    withEval({ name, text }).scenarios.map(({ id, interactions }) => [id, interactions[0]?.checks?.length]),
  ).toEqual([
    ["shop-support-0", 4],
    ["shop-support-1", 4],
    ["shop-support-2", 4],
  ]);
});

test("says what to import with an eval or a run without rows", () => {
  expect(withEval(fixture("runs.json")).notes.slice(-2)).toMatchObject([
    { message: "the eval has no rows: also import its data file, its runs or their output items" },
    { file: "runs.json", message: "the rows of the run are in the file file-Kd83hXz1: also import that file" },
  ]);
  const logged = { object: "eval", id: "e", name: "Logs", data_source_config: { type: "logs" }, testing_criteria: [] };
  expect(importScenarios({ text: JSON.stringify(logged) }).notes).toMatchObject([
    { message: "the eval has no rows because they are logged completions: also import the output items of its runs" },
  ]);
});

const evalOf = (id: string) => ({
  object: "eval",
  id,
  name: id,
  data_source_config: { type: "custom" },
  testing_criteria: [
    { type: "string_check", name: "Same", input: "{{sample.output_text}}", operation: "eq", reference: "{{item.a}}" },
  ],
});
const runOf = (id: string, evalId: string, more: object = {}) => ({
  object: "eval.run",
  id,
  eval_id: evalId,
  created_at: Number(id.slice(1)),
  data_source: {
    type: "completions",
    source: { type: "file_content", content: [{ item: { q: "Hi", a: "Hello" } }] },
    input_messages: { type: "template", template: [{ role: "user", content: `${id}: {{item.q}}` }] },
    ...more,
  },
});

test("separates the rows of several evals, and refuses rows that name none of them", () => {
  const both = lines(evalOf("one"), evalOf("two"), runOf("r1", "one"), runOf("r2", "two"));
  expect(importScenarios({ text: both }).scenarios).toMatchObject([
    { tags: ["one"], interactions: [{ user_message: "r1: Hi", checks: [{ name: "Same", text: "Hello" }] }] },
    { tags: ["two"], interactions: [{ user_message: "r2: Hi" }] },
  ]);
  expect(() => importScenarios({ text: lines(evalOf("one"), evalOf("two"), { item: { q: "Hi" } }) })).toThrow(
    'rows may belong to any of the evals "one", "two": import each eval separately, with its own data',
  );
  const foreign = { object: "eval.run.output_item", eval_id: "three", run_id: "r", datasource_item: { q: "Hi" } };
  const { scenarios, notes } = importScenarios({ text: lines(evalOf("one"), { item: { q: "Ho", a: "b" } }, foreign) });
  expect(scenarios).toHaveLength(2);
  expect(notes).toMatchObject([{ message: "the eval three is not in the imported files, so its rows have no checks" }]);
});

test("uses the messages of the newest run, and keeps equal rows of one source separate", () => {
  const text = lines(evalOf("one"), runOf("r1", "one"), runOf("r9", "one"), runOf("r2", "one"));
  const { scenarios, notes } = importScenarios({ text });
  expect(scenarios).toMatchObject([{ interactions: [{ user_message: "r9: Hi" }] }]);
  expect(notes[0]).toMatchObject({
    line: 3,
    message: "the runs of the eval use different messages; those of this run, the newest, are used",
  });
  const row = { item: { q: "Hi", a: "Hello" } };
  expect(withEval(rows(row, row)).scenarios).toHaveLength(2);
});

test("reads a run that names the field with the messages, or has replies in its data", () => {
  const sent = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hi" },
  ];
  const content = [{ item: { chat: sent, a: "Hello" }, sample: { output_text: "Hey" } }];
  const run = runOf("r1", "one", {
    type: "responses",
    source: { type: "file_content", content },
    input_messages: { type: "item_reference", item_reference: "item.chat" },
    sampling_params: { temperature: 0.2, tools: [{ type: "web_search" }], seed: null },
  });
  const { scenarios, notes } = importScenarios({ text: lines(evalOf("one"), run) });
  expect(scenarios).toMatchObject([
    {
      system_prompt: "Be brief.",
      interactions: [{ user_message: "Hi", reference_reply: "Hello", agent_reply: "Hey" }],
    },
  ]);
  expect(notes.map(({ message }) => message)).toEqual([
    "settings of the run, not of a scenario: temperature 0.2, tools",
  ]);
});

test("reads output items and data lines without an eval", () => {
  const result = readFixture("openai-evals-output.jsonl");
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
  expect(messages(result)).toEqual([
    "intent is a label: replies are compared with it",
    "1 | results of the past run evalrun_1: String check passed 0 of 1",
    "2 | replies of the past run evalrun_2: 1, to items that already have a reply",
  ]);
});

test("reads samples of the open-source evals with several ideal answers", () => {
  const result = readFixture("openai-evals-samples.jsonl");
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

test("names the sample files of an open-source registry", () => {
  const text = "move:\n  id: move.v0\nmove.v0:\n  class: evals:Match\n  args:\n    samples_jsonl: move/samples.jsonl\n";
  const { format, notes } = importScenarios({ text, name: "move.yaml" });
  expect(format).toBe("openai-evals");
  expect(notes.map(({ message }) => message)).toEqual([
    "this file registers evals; import their sample files: move/samples.jsonl",
  ]);
});

/** The names of the files that are read with the eval. */
const joined = (...files: { name: string; text: string }[]) =>
  [...companionsAmong([fixture("eval.json"), ...files])].map(([main, beside]) => [
    main.name,
    ...beside.map(({ name }) => name),
  ]);

test("joins an eval with its runs, its data and their output items", () => {
  expect(joined(...parts.map(fixture))).toEqual([["eval.json", ...parts]]);
  const made = { name: "made.json", text: lines({ ...evalOf("x"), object: undefined }) };
  expect(joined(made)).toEqual([["eval.json", "made.json"]]);
  expect(companionsAmong([made])).toEqual(new Map([[made, []]]));
  expect(companionsAmong([fixture("output_items.json")]).size).toBe(0);
});

test.each([
  ["rows.jsonl", '{"question": "Hi", "label": "a"}', true],
  ["rows.csv", "question,label\nHi,a\n", true],
  ["scenario.yaml", "interactions:\n  - user_message: Hi\n", false],
  ["promptfooconfig.yaml", "prompts: [Hi]\ntests: []\n", false],
  ["broken.json", '{"item": ', false],
])("says whether %s may be the data of an eval", (name, text, isData) => {
  expect(joined({ name, text })).toEqual([isData ? ["eval.json", name] : ["eval.json"]]);
});
