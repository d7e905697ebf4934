import { expect, test } from "vitest";
import { messages, outline, readFixture } from "../../../test/support/read-fixture.ts";
import { parseColumnMapping } from "../documents/columns.ts";
import { importScenarios } from "../import-scenarios.ts";

test.each([
  ["a table", 'user_message,reference_metadata\nHi,"{""ticket"": 12345678901234567890}"\n'],
  ["a table of Braintrust", 'input,expected,metadata\nHi,Ho,"{""ticket"": 12345678901234567890}"\n'],
])("keeps the digits of a long number in %s", (_name, text) => {
  const mapping = text.startsWith("input") ? { labels: ["ticket"] } : {};
  const { scenarios } = importScenarios({ text, mapping });
  expect(scenarios[0]?.interactions[0]?.reference_metadata).toEqual({ ticket: "12345678901234567890" });
});

test("joins a long table by scenario and turn, with intent and sentiment as labels", () => {
  const result = readFixture("long-form.csv");
  expect(result).toMatchObject({ format: "csv", reason: "a table with commas between the columns" });
  expect(outline(result)).toEqual([
    ["refund", ["I want a refund.", "May I have the order number?"], ['It is "1234".', "Thank you, done."]],
    ["hours", ["When do you\nopen?", "At seven."]],
  ]);
  expect(result.scenarios[0]?.interactions.map(({ reference_metadata }) => reference_metadata)).toEqual([
    { intent: "ask_order", sentiment: "neutral" },
    { intent: "confirm", sentiment: "positive" },
  ]);
  expect(result.scenarios[0]?.metadata).toEqual({ priority: "high" });
  expect(messages(result)).toContain("6 | the row has no user_message");
});

test("assigns columns by a mapping", () => {
  const result = readFixture("mapped.tsv", { mapping: parseColumnMapping("user=frage,expected=antwort,labels=thema") });
  expect(result.format).toBe("tsv");
  expect(outline(result).map(([, turn]) => turn)).toEqual([
    ["Wann öffnet ihr?", "Um sieben."],
    ["Liefert ihr?", "Ja."],
  ]);
  expect(result.scenarios[1]?.interactions[0]?.reference_metadata).toEqual({ thema: "lieferung" });
  expect(() => readFixture("mapped.tsv")).toThrow(
    "no column holds the user's message; name it with the mapping user=…; the columns are frage, antwort, thema",
  );
  expect(() => readFixture("mapped.tsv", { mapping: { user: "fragen" } })).toThrow('there is no column "fragen"');
});

test("reports objects without fields", () => {
  expect(() => importScenarios({ text: "{}", name: "a.json" })).toThrow("the file has no fields: a scenario has an id");
});

test("joins instruction and input to the user's message", () => {
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

test("does not use columns of long texts as labels unless they are mapped", () => {
  const text = `question,best answer,topic,context,source\nWhy?,Because.,reasons,"${"long ".repeat(30)}",https://a.example\n`;
  const { scenarios, notes } = importScenarios({ text, name: "questions.csv" });
  expect(scenarios[0]?.interactions[0]).toMatchObject({
    reference_reply: "Because.",
    reference_metadata: {},
  });
  expect(notes.map(({ message }) => message)).toEqual([
    "kept as tags, not scored: topic",
    "kept as metadata, not scored: source (name labels with the mapping labels=…)",
  ]);
  const named = importScenarios({ text, name: "questions.csv", mapping: { labels: ["source"] } });
  expect(named.scenarios[0]?.interactions[0]?.reference_metadata).toEqual({ source: "https://a.example" });
});
