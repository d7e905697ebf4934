import { expect, test } from "vitest";
import { importScenarios } from "../../import-scenarios.ts";
import type { NamedFiles } from "../../scenario-file.ts";

const folder: Readonly<Record<string, string>> = {
  "prompt.txt": "Answer {{ question }}\n---\nBriefly: {{ question }}\n",
  "tests.csv": "question,__expected\nWhen?,similar: At seven.\nWhere?,\n",
  "more/tests.yaml":
    "- vars: extra.yaml\n  assert:\n    - { type: equals, value: file://answer.txt }\n- { assert: [] }\n",
  "more/extra.yaml": "question: Why?\n",
  "answer.txt": "Because.\n",
  "topics.yaml": "- bread\n- rolls\n",
  "default.yaml": "assert:\n  - { type: contains, value: a }\n",
};
const files: NamedFiles = (name) => {
  const path = name.replace("file://", "");
  const text = folder[path];
  return text === undefined ? [] : [{ name: path, text }];
};

const config = `prompts: [file://prompt.txt]
defaultTest: file://default.yaml
tests:
  - file://tests.csv
  - file://more/tests.yaml
  - { path: file://gone.csv }
  - vars: { question: "About {{ topic }}?", topic: file://topics.yaml }
  - file://tests.py:make
  - file://tests.xlsx#Sheet2
`;

test("reads the files that a promptfoo configuration names", () => {
  const { scenarios, notes } = importScenarios({ text: config, name: "promptfooconfig.yaml", files });
  const turns = scenarios.flatMap(({ interactions }) => interactions);
  expect(turns.map(({ user_message, reference_reply }) => [user_message, reference_reply])).toEqual([
    ["Answer When?", "At seven."],
    ["Answer Where?", ""],
    ["Answer Why?", "Because."],
    ["Answer ", ""],
    ["Answer About bread?", ""],
    ["Answer About rolls?", ""],
  ]);
  expect(turns.map((turn) => turn.checks?.[0])).toEqual(turns.map(() => expect.objectContaining({ text: "a" })));
  expect(notes.map(({ line, message }) => [line, message])).toEqual([
    [6, "this is in another file (file://gone.csv); import that file separately"],
    [8, "code is not executed (file://tests.py:make); write the tests it generates to a file and import that file"],
    [9, "this is a spreadsheet (file://tests.xlsx#Sheet2); save it as CSV and import that file"],
    [1, "prompt 2; only the first prompt is used"],
    [5, "more/tests.yaml /1: variables without a value: question"],
  ]);
});

test("reads the value of an assertion, or an entry of it, from a file", () => {
  const written: Readonly<Record<string, string>> = {
    "words.yaml": "- one\n- two\n",
    "words.json": '["one", "two"]',
    "word.txt": "three\n",
    "schema.yaml": "type: object\n",
    "rubric.json": '{ "pass": "It is kind." }',
  };
  const named: NamedFiles = (name) => {
    const path = name.replace("file://", "");
    return written[path] === undefined ? [] : [{ name: path, text: written[path] }];
  };
  const assert = [
    { type: "contains-any", value: "file://words.yaml" },
    { type: "contains-all", value: "file://words.json" },
    { type: "icontains-any", value: ["file://word.txt", "four"] },
    { type: "similar", value: "file://words.yaml" },
    { type: "is-json", value: "file://schema.yaml" },
    { type: "llm-rubric", value: "file://rubric.json" },
    { type: "contains-any", value: ["five", "file://gone.txt"] },
  ];
  const text = JSON.stringify({ prompts: ["{{q}}"], tests: [{ vars: { q: "Hi" }, assert }] });
  const { scenarios, notes } = importScenarios({ text, format: "promptfoo", files: named });
  expect(scenarios[0]?.interactions).toMatchObject([
    {
      reference_reply: "one",
      references: ["two"],
      checks: [
        { text: ["one", "two"], mode: "any" },
        { text: ["one", "two"], mode: "all" },
        { text: ["three", "four"], mode: "any" },
        { type: "similarity", metric: "semantic", reference: ["one", "two"], threshold: 0.75 },
        { type: "json_schema", schema: { type: "object" } },
        { type: "rubric", text: '{\n  "pass": "It is kind."\n}' },
      ],
    },
  ]);
  expect(notes.map(({ pointer, message }) => `${pointer} ${message}`)).toEqual([
    "/tests/0/assert/6 assertion contains-any: its value is in another file",
  ]);
});

test("notes files that were not provided", () => {
  const { scenarios, notes } = importScenarios({ text: config, name: "promptfooconfig.yaml" });
  expect(scenarios).toEqual([]);
  expect(notes.filter(({ message }) => message.includes("another"))).toHaveLength(6);
});

test("names the file that cannot be read", () => {
  const broken: NamedFiles = () => [{ name: "tests.json", text: "{" }];
  expect(() => importScenarios({ text: "tests: file://tests.json\n", name: "a.yaml", files: broken })).toThrow(
    /^tests\.json: line 1/,
  );
});
