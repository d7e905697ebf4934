import { expect, test } from "vitest";
import { nearestIds } from "./known-models.ts";

const candidates = ["openai/gpt-4o", "openai/gpt-4o-mini", "demo/scripted", "demo/retrieval", "default", "support-v2"];
const ids = candidates.map((id) => ({ id }));

test.each([
  ["gpt-4o", "openai/gpt-4o"],
  ["gpt4o-mini", "openai/gpt-4o-mini"],
  ["Scripted", "demo/scripted"],
  ["suport-v2", "support-v2"],
  ["defualt", "default"],
])("%s most likely means %s", (value, meant) => {
  expect(nearestIds(value, ids)[0]).toBe(meant);
});

test("at most five are named, each once", () => {
  expect(nearestIds("x", [...ids, ...ids])).toHaveLength(5);
  expect(new Set(nearestIds("x", [...ids, ...ids])).size).toBe(5);
});

test("a model is found by its label and suggested by its id", () => {
  expect(nearestIds("my-model", [...ids, { id: "3f2504e0", label: "My Model" }])[0]).toBe("3f2504e0");
});

test("nothing to choose from gives no suggestions", () => {
  expect(nearestIds("x", [])).toEqual([]);
});
