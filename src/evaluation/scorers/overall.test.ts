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
  expect(overall([{ name: "success", value: 1 }]).value).toBeNull();
});

const all = [
  { name: "token_f1", value: 0.2 },
  { name: "rouge_l", value: 0.4 },
  { name: "semantic_similarity", value: 0.8 },
  { name: "metadata_match", value: 1 },
  { name: "polite", value: 0 },
];

const failed = (name: string) => ({ name, value: null, failed: true }) as const;

test("who understands meaning outranks who counts words", () => {
  expect(overall(all).value).toBeCloseTo(0.9, 12);
  expect(overall([...all, { name: "judge_correctness", value: 0.5 }]).value).toBeCloseTo(0.75, 12);
});

test("the caller's checks are one part, and weights replace all parts", () => {
  expect(overall(all, { checks: ["polite"] }).value).toBeCloseTo(0.6, 12);
  expect(overall(all, { weights: { token_f1: 3, metadata_match: 1 } }).value).toBeCloseTo(0.4, 12);
  expect(overall(all, { weights: { token_f1: 3, missing: 5 } }).value).toBeCloseTo(0.2, 12);
});

test("a judge that failed leaves no overall, since it would be of another kind", () => {
  expect(overall([...all, failed("judge_correctness")])).toMatchObject({ value: null });
  expect(overall([...all, { name: "judge_correctness", value: null }]).value).toBe(1);
});

test("with weights only a failure of what is weighed leaves no overall", () => {
  const judged = [...all, failed("judge_correctness")];
  expect(overall(judged, { weights: { token_f1: 3, polite: 1 } })).toEqual({
    name: "overall",
    value: expect.closeTo(0.15, 12),
    reason: "token_f1 0.20 × 3 and polite 0.00",
  });
  expect(overall(judged, { weights: { token_f1: 3, judge_correctness: 1 } }).value).toBeNull();
});

test("a check or a comparison of labels that failed leaves no overall either; a weight of 0 asks for nothing", () => {
  const scores = [...all, failed("short")];
  const broken = overall(scores, { checks: ["polite", "short"] });
  expect(broken).toEqual({ name: "overall", value: null, reason: "short could not be had" });
  expect(overall([...lexical, failed("metadata_match")]).value).toBeNull();
  expect(overall(scores).value).toBeCloseTo(0.9, 12);
  expect(overall(scores, { weights: { token_f1: 1, short: 0 } }).value).toBe(0.2);
});

test("where none of the weighted scores is there, the reason speaks of those", () => {
  const unlabelled = [...lexical, { name: "metadata.intent", value: null }];
  const { value, reason } = overall(unlabelled, { weights: { "metadata.intent": 1 } });
  expect([value, reason]).toEqual([null, "none of the weighted scores is there"]);
  expect(overall([]).reason).toBe("neither a reference reply nor judged metadata");
});
