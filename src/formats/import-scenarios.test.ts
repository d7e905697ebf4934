import fc from "fast-check";
import { expect, test } from "vitest";
import { messages, outline, readFixture } from "../../test/support/read-fixture.ts";
import { jsonLinesOf, parseDocument } from "./documents/parse-document.ts";
import { importScenarios, withLines } from "./import-scenarios.ts";
import { pointerTo } from "./documents/records.ts";

test("imports the scenario of an evaluation request and notes its settings", () => {
  const result = readFixture("request.json");
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

test("continues after a broken JSON line and notes it", () => {
  const result = readFixture("scenarios.jsonl");
  expect(result.format).toBe("jsonl");
  expect(result.scenarios.map(({ id }) => id)).toEqual([
    "one",
    "one-2",
    expect.stringMatching(/^scenario-[0-9a-f]{12}$/),
  ]);
  expect(messages(result)).toEqual([
    "5 | the line is not valid JSON: unexpected end of the line (column 18)",
    "2 | unknown fields: owner",
    '2 | the id "one" is used more than once; this one was changed to "one-2"',
    "4 | /interactions/0 | user_message is missing or not text",
    "4 | the scenario was dropped because of the turn named above",
  ]);
});

test("keeps text that YAML reads as a number, except in labels", () => {
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

test("reads Python's NaN and Infinity, and keeps these words in texts", () => {
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
    'line 2, column 13: not valid JSON: unexpected "o"',
  );
});

test("keeps all digits of a number that is too long to be exact", () => {
  const lines = ["1234567890123456788", "1234567890123456789", "-1.5e3"].map((id) => `{"id":${id},"input":"Hi?"}`);
  const { scenarios, notes } = importScenarios({ text: lines.join("\n") });
  expect(scenarios.map(({ id }) => id)).toEqual(["1234567890123456788", "1234567890123456789", "-1500"]);
  expect(notes).toEqual([]);
});

test("reads YAML merge keys, and an alias in every scenario", () => {
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

test("reads a JSON list in a file named .jsonl", () => {
  const list = JSON.stringify([{ input: "Hi?", ideal: "Hello." }], null, 2);
  expect(importScenarios({ text: list, name: "a.jsonl" })).toMatchObject({ format: "openai-evals", notes: [] });
  const { scenarios, notes } = importScenarios({ text: '{"input":\n{"input":"Hi?","ideal":"Yo"}\n', name: "a.jsonl" });
  expect([scenarios.length, notes.length]).toEqual([1, 1]);
});

test("reads YAML documents as scenarios", () => {
  const result = readFixture("scenarios.yaml");
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

test("suggests the nearest field for a misspelt one", () => {
  const turn = { id: "1", user_mesage: "Hi", reference_replay: "Hello", notes: "" };
  const { notes } = importScenarios({ text: JSON.stringify({ id: "a", descripton: "x", interactions: [turn] }) });
  expect(notes.map(({ message }) => message)).toEqual([
    "unknown fields: descripton (did you mean description?)",
    "unknown fields: user_mesage (did you mean user_message?), reference_replay (did you mean reference_reply?), notes",
    "user_message is missing or not text",
    "the scenario was dropped because of the turn named above",
  ]);
});

test("notes a field with a value of the wrong type", () => {
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
    "/0: the scenario was dropped because of the turn named above",
    "/1/tags: tags must be a list",
    "/1: the scenario was dropped because of the field named above",
  ]);
});

test("explains turns without a dash or under another name", () => {
  const dashless = importScenarios({ text: "id: a\ninteractions:\n  user_message: Hi\n", name: "a.yaml" });
  const renamed = importScenarios({ text: "id: a\nturns:\n  - user_message: Hi\n", name: "a.yaml" });
  const missing = "the item is not a scenario: it has no list of interactions";
  expect(messages(dashless)).toEqual([missing]);
  expect(messages(renamed)).toEqual(["unknown fields: turns", missing]);
});

test("says what a check lacks", () => {
  const checks = [{ type: "contains" }, { type: "contain", text: "x" }];
  const turn = { user_message: "Hi", checks };
  const { notes } = importScenarios({ text: JSON.stringify({ id: "a", interactions: [turn] }) });
  expect(notes.map(({ message }) => message)).toEqual([
    "the scenario is not valid: text is required",
    expect.stringMatching(/^the scenario is not valid: type must be one of "contains", "equals"/),
  ]);
});

test("derives the same ids from the same content", () => {
  const text = '{"question":"Open?","answer":"Yes"}';
  const [first, second] = [importScenarios({ text }), importScenarios({ text: `[${text}]` })];
  expect(first.format).toBe("rows");
  expect(first.scenarios[0]?.id).toBe(second.scenarios[0]?.id);
});

test("notes a mapping that has no effect on our own format", () => {
  const text = JSON.stringify({ id: "a", interactions: [{ user_message: "Hi", gold: "Hello" }] });
  const { notes } = importScenarios({ text, mapping: { reference: "gold" } });
  expect(notes.map(({ message }) => message)).toEqual([
    "unknown fields: gold",
    "the mapping: scenario files have fixed field names",
  ]);
});

const note = (pointer: string) => ({ kind: "dropped" as const, pointer, message: "…" });
const linesOf = (pointers: readonly string[], text: string, syntax: "json" | "yaml") =>
  withLines(pointers.map(note), parseDocument(text, syntax)).map(({ line }) => line);

test("adds the line of a JSON value to its note, or that of the nearest enclosing one", () => {
  const text = '{\n  "a": [\n    1,\n    {"b/c": "\\"{[,:",\n     "d": 2}\n  ]\n}';
  expect(linesOf(["/a", "/a/0", "/a/1", "/a/1/b~1c", "/a/1/d", "/a/1/missing/x", "/z"], text, "json")).toEqual([
    2, 3, 4, 4, 5, 4, 1,
  ]);
  expect(linesOf(["/0", "/1", "/2"], '[\n{},\n"x",\n2]', "json")).toEqual([2, 3, 4]);
});

test("adds the line of a YAML value to its note, in any document", () => {
  const text = "# head\na:\n  - one\n  - b: {c: two}\nd: |\n  text\n";
  expect(linesOf(["/a/0", "/a/1/b/c", "/a/1/b/x", "/d"], text, "yaml")).toEqual([3, 4, 4, 5]);
  expect(linesOf(["/0/a", "/1/b", "/1/c"], "a: 1\n---\nx: 0\nb: 2\n", "yaml")).toEqual([1, 4, 3]);
});

test("keeps the line of a note that has one", () => {
  const kept = { ...note("/a"), line: 7 };
  expect(withLines([kept], parseDocument('{"a":1}', "json"))).toEqual([kept]);
});

test.each([
  ["ADK's oldest files", [{ query: "Hi" }, { reference: "Found", expected_tool_use: [], query: "" }], "/1"],
  ["DeepEval's goldens", [{ input: "Hi", additional_metadata: { source: "web" } }], "/0/additional_metadata"],
])("points to an existing place in notes about %s", (_name, file, pointer) => {
  const text = JSON.stringify(file, null, 2);
  const line = jsonLinesOf(text, new Set([pointer])).get(pointer);
  expect(importScenarios({ text }).notes).toMatchObject([{ pointer, line }]);
});

test("finds the line of every place in any JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const places = [...placesIn(value)];
      const lines = jsonLinesOf(JSON.stringify(value, null, 2), new Set(places));
      expect(places.filter((pointer) => !lines.has(pointer))).toEqual([]);
      // Indented by two, every value is on its own line, in text order.
      expect([...lines.values()]).toEqual([...lines.values()].toSorted((left, right) => left - right));
    }),
    { numRuns: 100 },
  );
});

function* placesIn(value: unknown, pointer = ""): Generator<string> {
  yield pointer;
  if (typeof value !== "object" || value === null) return;
  for (const [step, item] of Object.entries(value)) yield* placesIn(item, pointerTo(pointer, step));
}

test.each([
  [
    "Claude Code",
    { type: "user", parentUuid: null, sessionId: "s", uuid: "u", message: { role: "user", content: "Hi" } },
  ],
  ["Codex", { type: "session_meta", timestamp: "2026-01-01T00:00:00Z", payload: { id: "s" } }],
  ["tau2-bench", { id: "0", user_scenario: { instructions: "Cancel it" }, evaluation_criteria: { actions: [] } }],
])("refuses a file of %s in one sentence, and reads none of it as references", (name, first) => {
  const text = [first, { type: "assistant", message: { role: "assistant", content: "Hello" } }].map((line) =>
    JSON.stringify(line),
  );
  expect(() => importScenarios({ text: text.join("\n") })).toThrow(name);
});
