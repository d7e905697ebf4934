import { expect, test } from "vitest";
import { importScenarios } from "../../formats/import-scenarios.ts";
import { renderScenarios } from "./write-scenarios.ts";

const { scenarios } = importScenarios({
  text: JSON.stringify([
    { id: "asked", interactions: [{ user_message: "Hi" }] },
    { id: "answered", interactions: [{ user_message: "Hi", reference_reply: "Hello" }] },
  ]),
});
const written = (file: string, format: string): string => renderScenarios(scenarios, { file, format }).text;

test.each(["openai-evals", "sharegpt"])(
  "%s is written as a list or as lines, as the ending of the file says",
  (format) => {
    expect(JSON.parse(written("a.json", format))).toHaveLength(2);
    const lines = written("a.jsonl", format).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(written("a.json", format)));
    expect(importScenarios({ text: written("a.json", format) })).toMatchObject({ format, scenarios: [{}, {}] });
  },
);

test("writes a promptfoo configuration as YAML, or as JSON for .json", () => {
  expect(JSON.parse(written("a.json", "promptfoo"))).toHaveProperty("tests");
  expect(written("a.yaml", "promptfoo")).toMatch(/^description: /);
});

test("does not count scenarios that a format cannot hold", () => {
  expect(renderScenarios(scenarios, { format: "openai-chat" })).toMatchObject({ written: 1 });
  expect(renderScenarios(scenarios, { format: "sharegpt" })).toMatchObject({ written: 2 });
});
