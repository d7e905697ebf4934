import { expect, test } from "vitest";
import { nearestIds } from "./providers.ts";

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

test("suggests at most five ids without duplicates", () => {
  expect(nearestIds("x", [...ids, ...ids])).toHaveLength(5);
  expect(new Set(nearestIds("x", [...ids, ...ids])).size).toBe(5);
});

test("finds a model by its label and suggests its id", () => {
  expect(nearestIds("my-model", [...ids, { id: "3f2504e0", label: "My Model" }])[0]).toBe("3f2504e0");
});

test("suggests nothing without candidates", () => {
  expect(nearestIds("x", [])).toEqual([]);
});
