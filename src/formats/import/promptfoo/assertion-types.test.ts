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
  expect(of("contains", " \n")).toBeUndefined();
  expect(of("latency")).toBeUndefined();
  expect(of("word-count", "some")).toBeUndefined();
  expect(of("context-recall", "Paris")).toBeUndefined();
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

test("carries weights, thresholds and sets, and notes other settings", () => {
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
    { text: "a", weight: 0 },
    { text: "b", weight: 3 },
    { type: "group", name: "Both", threshold: 0.5, checks: [{ text: "c" }, { text: "d" }] },
    { type: "rubric", text: "Is it kind?", threshold: 0.8 },
    { type: "similarity", metric: "semantic", reference: "Hello ", threshold: 0.9, weight: 2 },
    { type: "latency", max_ms: 500 },
  ]);
  expect(notes.map(({ pointer, message }) => `${pointer} ${message}`)).toEqual([
    "/tests/0/assert/3 settings of the assertion llm-rubric: provider",
    "/tests/0/assert/4 assertion similar: variables without a value: name",
  ]);
});

test.each([
  ["not-contains-all", ["a", "b"], { type: "contains", text: ["a", "b"], mode: "all", negate: true }],
  ["not-is-json", undefined, { type: "json_schema", negate: true }],
  ["contains-json", "type: object", { type: "json_schema", schema: { type: "object" }, anywhere: true }],
  ["levenshtein", "Hello", { type: "edit_distance", reference: "Hello", max: 5 }],
  ["rouge-n", "Hello", { type: "similarity", metric: "rouge_1", reference: "Hello", threshold: 0.75 }],
  ["bleu", ["a", "b"], { type: "similarity", metric: "bleu", reference: ["a", "b"], threshold: 0.5 }],
  ["equals", { a: 1 }, { type: "json_schema", schema: { const: { a: 1 } } }],
  ["contains-xml", { requiredElements: ["a.b"] }, { type: "xml", elements: ["a.b"], anywhere: true }],
  ["finish-reason", "stop", { type: "finish_reason", reason: "stop" }],
  ["is-valid-openai-tools-call", undefined, { type: "valid_tool_calls" }],
  ["is-refusal", undefined, { type: "regex", ignore_case: true, negate: false }],
  ["context-faithfulness", undefined, { type: "rubric", text: expect.stringContaining("Open at seven.") }],
  ["factuality", "At seven.", { type: "rubric", choices: { same: 1, superset: 1, subset: 1, disagrees: 0 } }],
  ["select-best", "the kindest", { type: "rubric", text: expect.stringContaining("the kindest") }],
])("carries the assertion %s %j", (type, value, check) => {
  const { scenarios } = importScenarios({
    text: JSON.stringify({
      prompts: ["{{q}}"],
      tests: [{ vars: { q: "Hi", context: "Open at seven." }, assert: [{ type, value }] }],
    }),
    name: "promptfooconfig.json",
  });
  expect(scenarios[0]?.interactions[0]?.checks).toMatchObject([check]);
});

const coded = {
  prompts: ["{{q}}"],
  tests: [
    {
      vars: { q: "Hi", limit: 9 },
      options: { transform: "output.trim()" },
      threshold: 0.5,
      assert: [
        { type: "javascript", value: "output.length < context.vars.limit", weight: 2 },
        { type: "python", value: "file://checks/kind.py:score", threshold: 0.5, config: { words: 3 } },
        { type: "contains", value: "a", transform: "file://last.py" },
      ],
    },
  ],
};

test("imports code of assertions and transforms only when it is allowed", () => {
  const text = JSON.stringify(coded);
  const [first, second] = [false, true].map((allowsCode) => importScenarios({ text, allowsCode }));
  expect(first?.scenarios[0]?.interactions[0]?.checks).toBeUndefined();
  expect(first?.notes.filter(({ message }) => message.includes("imported only when allowed"))).toHaveLength(3);
  const transform = [{ language: "javascript", code: "output.trim()" }];
  expect(second?.scenarios[0]?.interactions[0]?.checks).toEqual([
    {
      type: "group",
      threshold: 0.5,
      checks: [
        {
          type: "javascript",
          code: "output.length < context.vars.limit",
          vars: { q: "Hi", limit: 9 },
          weight: 2,
          transform,
        },
        {
          type: "python",
          file: "checks/kind.py",
          function: "score",
          vars: { q: "Hi", limit: 9 },
          config: { words: 3 },
          transform,
        },
        {
          type: "contains",
          text: "a",
          mode: "all",
          ignore_case: false,
          transform: [...transform, { language: "python", file: "last.py" }],
        },
      ],
    },
  ]);
});

test("carries promptfoo's rule for passing: all assertions, unless a threshold", () => {
  const contains = (value: string, weight?: number) => ({
    type: "contains",
    value,
    ...(weight !== undefined && { weight }),
  });
  const similar = { type: "rouge-n", value: "red", threshold: 0.9 };
  const tests = [
    { assert: [contains("a"), { type: "answer-relevance" }] },
    {
      threshold: 0.7,
      assert: [contains("a"), { type: "assert-set", weight: 3, assert: [contains("b"), contains("c", 2)] }],
    },
    { assert: [{ type: "assert-set", threshold: 0.5, assert: [contains("a"), similar] }] },
    {},
  ].map((parts, index) => ({ vars: { q: `Question ${index}` }, ...parts }));
  const { scenarios, notes } = importScenarios({ text: JSON.stringify({ prompts: ["{{q}}"], tests }) });
  expect(notes).toEqual([]);
  expect(scenarios.map(({ expect: wanted }) => wanted)).toEqual([
    { checks: "all" },
    { checks: "all" },
    { checks: "all" },
    undefined,
  ]);
  const [first, second, third] = scenarios.map(({ interactions }) => interactions[0]?.checks);
  expect(first).toMatchObject([{ type: "contains" }, { type: "rubric", weight: 0 }]);
  // The mean of the set, 3 times: (1 × a + 1 × b + 2 × c) / 4.
  expect(second).toMatchObject([
    { type: "group", threshold: 0.7, checks: [{ text: "a" }, { text: "b", weight: 1 }, { text: "c", weight: 2 }] },
  ]);
  expect(third).toMatchObject([{ type: "group", threshold: 0.5, checks: [{ text: "a" }, { metric: "rouge_1" }] }]);
  expect(third?.[0]).not.toHaveProperty("checks.1.threshold");
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
    "assertion contains transforms the reply with its own code, and code is imported only when allowed; it was not converted to a check",
    "assertion equals transforms the reply with its own code, and code is imported only when allowed; it was not converted to a check",
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
      "assertion equals reads a reply that the test's code transforms, and code is imported only when allowed; it was not converted to a check",
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
