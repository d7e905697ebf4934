import { expect, test } from "vitest";
import { createExampleTexts } from "./example-texts.ts";
import type { LabelCandidates } from "./label-candidates.ts";

/** Keys with one label each, carried by this many texts of 4,000 characters. */
function candidatesOf({ keys, examples }: { keys: number; examples: number }): LabelCandidates {
  const text = "a".repeat(4_000);
  const candidate = { label: "l", examples: Array.from({ length: examples }, () => ({ text, interaction_id: "i" })) };
  return new Map(Array.from({ length: keys }, (_, key) => [`${key}`, new Map([["l", candidate]])]));
}

test.each([
  [{ keys: 1, examples: 3 }, 4_000],
  [{ keys: 25, examples: 10 }, 4_000],
  [{ keys: 25, examples: 1_000 }, 4_000],
  [{ keys: 26, examples: 10 }, 2_000],
  [{ keys: 1_000, examples: 10 }, 62],
])("reads less of each example the more there are: %j", (count, length) => {
  const texts = createExampleTexts(candidatesOf(count));
  expect(texts.start("b".repeat(5_000)).raw).toHaveLength(length);
  expect(texts.start("short").raw).toBe("short");
});

test("prepares a text once, with the same words either way", () => {
  const texts = createExampleTexts(new Map());
  expect(texts.whole("One, two.")).toBe(texts.whole("One, two."));
  expect([texts.words("One, two."), texts.whole("One, two.").words, texts.words("Three!")]).toEqual([
    "one two",
    "one two",
    "three",
  ]);
});

test("compares texts too long to tokenize by characters", () => {
  const { words } = createExampleTexts(new Map());
  const long = "One, two. ".repeat(10_001);
  expect(words(` ${long}`)).toBe(long.trim());
});

test("yields to the event loop while tokenizing long texts", async () => {
  const examples = Array.from({ length: 10 }, (_, index) => ({
    text: `${index} `.repeat(30_000),
    interaction_id: "i",
  }));
  const texts = createExampleTexts(new Map([["key", new Map([["l", { label: "l", examples }]])]]));
  let turns = 0;
  const timer = setInterval(() => (turns += 1));
  await texts.readWords().finally(() => clearInterval(timer));
  expect(turns).toBeGreaterThan(2);
});
