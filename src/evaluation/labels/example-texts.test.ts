import { expect, test } from "vitest";
import { createExampleTexts } from "./example-texts.ts";
import type { LabelCandidates } from "./label-candidates.ts";

/** Keys with one label, which so many texts of 4,000 characters carry. */
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
])("the more examples there are, the less far each is read: %j", (count, length) => {
  const texts = createExampleTexts(candidatesOf(count));
  expect(texts.start("b".repeat(5_000)).raw).toHaveLength(length);
  expect(texts.start("short").raw).toBe("short");
});

test("a text is made ready once, and its words are the same by either way", () => {
  const texts = createExampleTexts(new Map());
  expect(texts.whole("One, two.")).toBe(texts.whole("One, two."));
  expect([texts.words("One, two."), texts.whole("One, two.").words, texts.words("Three!")]).toEqual([
    "one two",
    "one two",
    "three",
  ]);
});

test("a text too long to be cut is known by its characters", () => {
  const { words } = createExampleTexts(new Map());
  const long = "One, two. ".repeat(10_001);
  expect(words(` ${long}`)).toBe(long.trim());
});

test("others have their turn while the words of long texts are found", async () => {
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
