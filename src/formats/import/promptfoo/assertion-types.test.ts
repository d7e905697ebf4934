import { expect, test } from "vitest";
import { importScenarios } from "../../import-scenarios.ts";
import { toCheck } from "./assertion-types.ts";

const of = (type: string, value?: unknown, more: { negated?: boolean; threshold?: number } = {}) =>
  toCheck({ type, value, negated: false, ...more });

test.each([
  ["contains", 42, { text: "42", mode: "all", ignore_case: false }],
  ["icontains-all", ["a", "b"], { text: ["a", "b"], mode: "all", ignore_case: true }],
  ["contains-any", 'one, "two, three"', { text: ["one", "two, three"], mode: "any" }],
  ["starts-with", "Yes. (sure)", { type: "regex", pattern: "\\AYes\\. \\(sure\\)" }],
  ["regex", "\\d{5}", { type: "regex", pattern: "\\d{5}", negate: false }],
  ["regex", "^Yes$", { pattern: "(?-m)^Yes$" }],
  ["regex", "(?<![^\\n])Yes(?![^\\n])", { pattern: "(?-m)(?m:^)Yes(?m:$)" }],
  ["is-json", "type: object", { type: "json_schema", schema: { type: "object" } }],
  [
    "is-json",
    { items: [{ type: "number" }] },
    { schema: { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "number" }] } },
  ],
  ["word-count", { min: 2 }, { type: "length", unit: "words", min: 2 }],
  ["word-count", 5, { type: "length", unit: "words", min: 5, max: 5 }],
])("converts the assertion %s %j to a check", (type, value, check) => {
  expect(of(type, value)).toMatchObject(check);
});

test("converts not-equals to a check", () => {
  expect(of("equals", "no", { negated: true })).toMatchObject({ type: "equals", text: "no", negate: true });
});

test("converts no assertion without an equivalent check", () => {
  expect(of("regex", "(?=look)")).toBeUndefined();
  expect(of("regex", "(")).toBeUndefined();
  expect(of("is-json", { properties: { code: { type: "string", pattern: "(?=look)" } } })).toBeUndefined();
  expect(of("is-json", { patternProperties: { "(?=look)": true } })).toBeUndefined();
  expect(of("contains-all", ["a", "b"], { negated: true })).toBeUndefined();
  expect(of("contains", " \n")).toBeUndefined();
  expect(of("latency")).toBeUndefined();
  expect(of("word-count", "some")).toBeUndefined();
  expect(of("contains-json", "{}")).toBeUndefined();
});

test("names the score after the metric if it can, and notes the metric otherwise", () => {
  const metrics = ["{{tone}} of voice", "Tone of voice", "overall", "contains_2", "1st"];
  const assert = metrics.map((metric) => ({ type: "contains", value: "a", metric }));
  const { scenarios, notes } = importScenarios({
    text: JSON.stringify({ prompts: ["{{q}}"], tests: [{ vars: { q: "Hi", tone: "Tone" }, assert }] }),
    name: "promptfooconfig.json",
  });
  expect(scenarios[0]?.interactions[0]?.checks?.map(({ name }) => name)).toEqual([
    "Tone_of_voice",
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  const lost = ["Tone of voice", "overall", "contains_2", "1st"];
  expect(notes.map(({ message }) => message)).toEqual(
    lost.map((metric) => `settings of the assertion contains: metric ${metric}`),
  );
});

test("notes other settings of an assertion, and drops one with weight 0", () => {
  const contains = (value: string, more: object = {}) => ({ type: "contains", value, ...more });
  const assert = [
    contains("a", { weight: 0 }),
    contains("b", { weight: 3 }),
    { type: "assert-set", threshold: 0.5, metric: "Both", assert: [contains("c"), contains("d", { weight: 1 })] },
    { type: "llm-rubric", value: "Is it kind?", threshold: 0.8, provider: { id: "openai:gpt-5", config: {} } },
    { type: "similar", value: "Hello {{ name }}", threshold: 0.9, weight: 2 },
    { type: "latency", threshold: 500 },
  ];
  const { scenarios, notes } = importScenarios({
    text: JSON.stringify({ prompts: ["{{q}}"], tests: [{ vars: { q: "Hi" }, assert }] }),
    name: "promptfooconfig.json",
  });
  expect(scenarios[0]?.interactions[0]?.checks).toMatchObject([
    { text: "b" },
    { text: "c" },
    { text: "d" },
    { type: "rubric", text: "Is it kind?" },
    { type: "latency", max_ms: 500 },
  ]);
  expect(notes.map(({ pointer, message }) => `${pointer} ${message}`)).toEqual([
    "/tests/0/assert/2 settings of the set of assertions: threshold, metric; its assertions are checked one by one",
    "/tests/0/assert/0 assertion contains: its weight is 0, so it could never fail",
    "/tests/0/assert/1 settings of the assertion contains: weight 3",
    "/tests/0/assert/3 settings of the assertion llm-rubric: threshold 0.8, provider",
    "/tests/0/assert/4 settings of the assertion similar: weight 2, threshold 0.9",
    "/tests/0/assert/4 assertion similar: variables without a value: name",
  ]);
});

test("keeps an assertion unmapped if it reads something else, or its value cannot be filled", () => {
  const assert = [
    { type: "contains", value: "a", transform: "output.split('\\n')[0]" },
    { type: "equals", value: "b", transform: "JSON.parse(output).answer" },
    { type: "icontains-any", value: ["c", "{{ q | rot13 }}"] },
  ];
  const { scenarios, checks, notes } = importScenarios({
    text: JSON.stringify({ prompts: ["{{q}}"], tests: [{ vars: { q: "Hi" }, assert }] }),
    name: "promptfooconfig.json",
  });
  expect(scenarios[0]?.interactions[0]).toMatchObject({ reference_reply: "" });
  expect(scenarios[0]?.interactions[0]?.checks).toBeUndefined();
  expect(checks.map(({ type }) => type)).toEqual(["contains", "equals", "icontains-any"]);
  expect(notes.map(({ message }) => message)).toEqual([
    "assertion contains transforms the reply with its own code; it was not converted to a check",
    "assertion equals transforms the reply with its own code; it was not converted to a check",
    "assertion icontains-any uses filter rot13; it was not converted to a check",
  ]);
});

test("keeps assertions unmapped if the test transforms the reply", () => {
  const assert = [
    { type: "equals", value: "Paris" },
    { type: "contains", value: "Par" },
    { type: "latency", threshold: 500 },
  ];
  const test = { vars: { q: "Capital?" }, assert, options: { transform: "JSON.parse(output).answer" } };
  const files = [
    { prompts: ["{{q}}"], tests: [test] },
    {
      prompts: ["{{q}}"],
      defaultTest: { options: { postprocess: "file://answer.js" } },
      tests: [{ ...test, options: {} }],
    },
    {
      results: {
        version: 3,
        results: [{ prompt: { raw: "Capital?" }, testCase: test, response: { output: "Paris" } }],
      },
    },
  ];
  for (const file of files) {
    const { scenarios, checks, notes } = importScenarios({ text: JSON.stringify(file) });
    expect(scenarios[0]?.interactions[0]).toMatchObject({
      reference_reply: "",
      checks: [{ type: "latency", max_ms: 500 }],
    });
    expect(checks.map(({ type }) => type)).toEqual(["equals", "contains"]);
    expect(notes.map(({ message }) => message)).toContain(
      "assertion equals reads a reply that the test's code transforms; it was not converted to a check",
    );
  }
});

test("keeps the scenario of a test with too many assertions", () => {
  const assert = Array.from({ length: 60 }, (_, index) => ({ type: "contains", value: `text ${index}` }));
  const { scenarios, checks, notes } = importScenarios({
    text: JSON.stringify({ prompts: ["{{q}}"], tests: [{ vars: { q: "Hi" }, assert }] }),
    name: "promptfooconfig.json",
  });
  expect([scenarios[0]?.interactions[0]?.checks?.length, checks.length]).toEqual([50, 10]);
  expect(notes[0]?.message).toContain("assertion contains exceeds the number of checks a turn may have");
});
