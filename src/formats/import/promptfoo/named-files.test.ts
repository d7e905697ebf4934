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

test("what a promptfoo configuration keeps in other files is read with it", () => {
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
  expect(turns.map((turn) => turn.checks)).toEqual(turns.map(() => [expect.objectContaining({ text: "a" })]));
  expect(notes.map(({ line, message }) => [line, message])).toEqual([
    [6, "this is in another place (file://gone.csv); import that file by itself"],
    [8, "code is not run (file://tests.py:make); write the tests it makes to a file and import that"],
    [9, "this is a spreadsheet (file://tests.xlsx#Sheet2); save it as CSV and import that"],
    [1, "prompt 2; scenarios are made with the first"],
    [5, "more/tests.yaml /1: variables without a value: question"],
  ]);
});

test("without files to read from, they are named", () => {
  const { scenarios, notes } = importScenarios({ text: config, name: "promptfooconfig.yaml" });
  expect(scenarios).toEqual([]);
  expect(notes.filter(({ message }) => message.includes("another"))).toHaveLength(6);
});

test("a file that cannot be read says which it is", () => {
  const broken: NamedFiles = () => [{ name: "tests.json", text: "{" }];
  expect(() => importScenarios({ text: "tests: file://tests.json\n", name: "a.yaml", files: broken })).toThrow(
    /^tests\.json: line 1/,
  );
});
