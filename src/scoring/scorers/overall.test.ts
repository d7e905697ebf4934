import { expect, test } from "vitest";
import { overall } from "./overall.ts";

const lexical = [
  { name: "token_f1", value: 0.8 },
  { name: "rouge_l", value: 0.6 },
];

test("averages the reply part and the metadata part, and names them", () => {
  const score = overall([...lexical, { name: "metadata_match", value: 1 }]);
  expect(score.value).toBeCloseTo(0.85, 12);
  expect(score.reason).toBe("reply 0.700 (token_f1, rouge_l) and metadata 1.000 (metadata_match)");
});

test("chrF is the reply part of a run without a judge and an embedder; the same words are perfect", () => {
  const scored = (exact_match: number) =>
    overall([{ name: "exact_match", value: exact_match }, ...lexical, { name: "chrf", value: 0.69 }]);
  expect(scored(0)).toEqual({ name: "overall", value: 0.69, reason: "reply 0.690 (chrf)" });
  expect(scored(1)).toEqual({ name: "overall", value: 1, reason: "reply 1.000 (exact_match)" });
});

test("leaves out a missing part instead of counting 0", () => {
  expect(overall([...lexical, { name: "metadata_match", value: null }]).value).toBeCloseTo(0.7, 12);
  expect(overall([{ name: "metadata_match", value: 0.5 }]).value).toBe(0.5);
  expect(
    overall([
      { name: "token_f1", value: 0.8 },
      { name: "rouge_l", value: null },
    ]).value,
  ).toBe(0.8);
});

test("has no overall without any part", () => {
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

test("semantic scores outrank lexical ones", () => {
  expect(overall(all).value).toBeCloseTo(0.9, 12);
  expect(overall([...all, { name: "judge_correctness", value: 0.5 }]).value).toBeCloseTo(0.75, 12);
});

test("checks form one part, and weights replace all parts", () => {
  expect(overall(all, { checks: ["polite"] }).value).toBeCloseTo(0.6, 12);
  expect(overall(all, { weights: { token_f1: 3, metadata_match: 1 } }).value).toBeCloseTo(0.4, 12);
  expect(overall(all, { weights: { token_f1: 3, missing: 5 } }).value).toBeCloseTo(0.2, 12);
});

test("a failed judge leaves no overall", () => {
  expect(overall([...all, failed("judge_correctness")])).toMatchObject({ value: null });
  expect(overall([...all, { name: "judge_correctness", value: null }]).value).toBe(1);
});

test("with weights, only a failed weighted score leaves no overall", () => {
  const judged = [...all, failed("judge_correctness")];
  expect(overall(judged, { weights: { token_f1: 3, polite: 1 } })).toEqual({
    name: "overall",
    value: expect.closeTo(0.15, 12),
    reason: "token_f1 0.200 × 3 and polite 0.000",
  });
  expect(overall(judged, { weights: { token_f1: 3, judge_correctness: 1 } }).value).toBeNull();
});

test("a failed check or label comparison leaves no overall; a weight of 0 is ignored", () => {
  const scores = [...all, failed("short")];
  const broken = overall(scores, { checks: ["polite", "short"] });
  expect(broken).toEqual({ name: "overall", value: null, reason: "short could not be had" });
  expect(overall([...lexical, failed("metadata_match")]).value).toBeNull();
  expect(overall(scores).value).toBeCloseTo(0.9, 12);
  expect(overall(scores, { weights: { token_f1: 1, short: 0 } }).value).toBe(0.2);
});

test("names the weighted scores when none is available", () => {
  const unlabelled = [...lexical, { name: "metadata.intent", value: null }];
  const { value, reason } = overall(unlabelled, { weights: { "metadata.intent": 1 } });
  expect([value, reason]).toEqual([null, "none of the weighted scores is available"]);
  expect(overall([]).reason).toBe("neither a reference reply nor judged metadata");
});
