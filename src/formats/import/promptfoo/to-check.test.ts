import { expect, test } from "vitest";
import { importScenarios } from "../../import-scenarios.ts";
import { toCheck } from "./to-check.ts";

const of = (type: string, value?: unknown, more: { negated?: boolean; threshold?: number } = {}) =>
  toCheck({ type, value, negated: false, ...more });

test.each([
  ["contains", 42, { text: "42", mode: "all", ignore_case: false }],
  ["icontains-all", ["a", "b"], { text: ["a", "b"], mode: "all", ignore_case: true }],
  ["contains-any", 'one, "two, three"', { text: ["one", "two, three"], mode: "any" }],
  ["starts-with", "Yes. (sure)", { type: "regex", pattern: "\\AYes\\. \\(sure\\)" }],
  ["regex", "\\d{5}", { type: "regex", pattern: "\\d{5}", negate: false }],
  ["regex", "^Yes$", { pattern: "(?-m)^Yes$" }],
  ["is-json", "type: object", { type: "json_schema", schema: { type: "object" } }],
  ["word-count", { min: 2 }, { type: "length", unit: "words", min: 2 }],
  ["word-count", 5, { type: "length", unit: "words", min: 5, max: 5 }],
])("the assertion %s %j is a check", (type, value, check) => {
  expect(of(type, value)).toMatchObject(check);
});

test("what no check judges the same is none", () => {
  expect(of("regex", "(?=look)")).toBeUndefined();
  expect(of("regex", "(")).toBeUndefined();
  expect(of("contains-all", ["a", "b"], { negated: true })).toBeUndefined();
  expect(of("contains", " \n")).toBeUndefined();
  expect(of("latency")).toBeUndefined();
  expect(of("word-count", "some")).toBeUndefined();
  expect(of("contains-json", "{}")).toBeUndefined();
});

test("a metric is the name of the score, where it can be one", () => {
  const metrics = ["Tone of voice", "Tone of voice", "overall", "contains_2", "1st"];
  const assert = metrics.map((metric) => ({ type: "contains", value: "a", metric }));
  const { scenarios } = importScenarios({
    text: JSON.stringify({ prompts: ["{{q}}"], tests: [{ vars: { q: "Hi" }, assert }] }),
    name: "promptfooconfig.json",
  });
  expect(scenarios[0]?.interactions[0]?.checks?.map(({ name }) => name)).toEqual([
    "Tone_of_voice",
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
