import { expect, test } from "vitest";
import { readModelAliases } from "./read-model-aliases.ts";

test("aliases stand for hub models and for fine-tuned ones", () => {
  const uuid = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";
  expect(readModelAliases(["fast = groq/llama:free=1", `support=${uuid}`])).toEqual({
    fast: "groq/llama:free=1",
    support: uuid,
  });
  expect(readModelAliases([])).toEqual({});
});

test.each([
  ["fast", "is neither a UUID nor <provider>/<model_name>"],
  ["fast=other", "is neither a UUID nor <provider>/<model_name>"],
  ["a/b=groq/llama", "may not contain a slash"],
  ["=groq/llama", "printable ASCII"],
])("%j stops the start with a line that says why", (entry, reason) => {
  expect(() => readModelAliases([entry])).toThrow(/^AGENT_MODEL_ALIASES is not a list of alias=model\. [^\n]+$/);
  expect(() => readModelAliases([entry])).toThrow(reason);
});

test("an alias has one model", () => {
  expect(() => readModelAliases(["a=b/c", "a=d/e"])).toThrow("AGENT_MODEL_ALIASES names an alias twice");
});
