import { expect, test } from "vitest";
import { prepareText } from "./prepare-text.ts";
import { createVocabulary } from "./vocabulary.ts";

test("the same word is the same number on both sides, an unknown one is no known word", () => {
  const vocabulary = createVocabulary();
  const { left, right, size } = vocabulary.pair(prepareText("your order left today"), prepareText("your order left"));
  expect(left.subarray(0, 3)).toEqual(right);
  expect([...right]).not.toContain(left[3]);
  expect(Math.max(...left, ...right)).toBeLessThan(size);
});

test("a word that another text made known is known from then on", () => {
  const vocabulary = createVocabulary();
  const reply = prepareText("it left today");
  vocabulary.pair(reply, prepareText("it left"));
  const { left, right } = vocabulary.pair(reply, prepareText("today"));
  expect(left[2]).toBe(right[0]);
});
