import { expect, test } from "vitest";
import { overall } from "./overall.ts";

const lexical = [
  { name: "token_f1", value: 0.8 },
  { name: "rouge_l", value: 0.6 },
];

test("it is the mean of the reply part and the metadata part and says which were used", () => {
  const score = overall([...lexical, { name: "metadata_match", value: 1 }]);
  expect(score.value).toBeCloseTo(0.85, 12);
  expect(score.reason).toBe("reply 0.70 (token_f1, rouge_l) and metadata 1.00 (metadata_match)");
});

test("a part that is missing is left out, never counted as 0", () => {
  expect(overall([...lexical, { name: "metadata_match", value: null }]).value).toBeCloseTo(0.7, 12);
  expect(overall([{ name: "metadata_match", value: 0.5 }]).value).toBe(0.5);
  expect(
    overall([
      { name: "token_f1", value: 0.8 },
      { name: "rouge_l", value: null },
    ]).value,
  ).toBe(0.8);
});

test("with neither part there is no overall", () => {
  expect(overall([{ name: "chrf", value: 1 }]).value).toBeNull();
});
