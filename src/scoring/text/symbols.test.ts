import { expect, test } from "vitest";
import { prepareText } from "./prepare-text.ts";
import { createVocabulary } from "./symbols.ts";

test("equal words get equal numbers on both sides; unknown words match none", () => {
  const vocabulary = createVocabulary();
  const { left, right, size } = vocabulary.pair(prepareText("your order left today"), prepareText("your order left"));
  expect(left.subarray(0, 3)).toEqual(right);
  expect([...right]).not.toContain(left[3]);
  expect(Math.max(...left, ...right)).toBeLessThan(size);
});

test("a word added by another text is known afterwards", () => {
  const vocabulary = createVocabulary();
  const reply = prepareText("it left today");
  vocabulary.pair(reply, prepareText("it left"));
  const { left, right } = vocabulary.pair(reply, prepareText("today"));
  expect(left[2]).toBe(right[0]);
});
