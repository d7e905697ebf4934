import { expect, test } from "vitest";
import { correctEffect, correctMean } from "./correct-judge.ts";
import type { JudgedReply } from "../statistics/prediction-powered.ts";

/** Rows of [count, judge, human]. Every reply is a scenario of its own. */
const toReplies = (rows: readonly (readonly [number, number, number | null])[]): JudgedReply[] =>
  rows
    .flatMap(([count, judge, human]) => Array.from({ length: count }, () => ({ judge, human: human ?? undefined })))
    .map((reply, index) => ({ ...reply, cluster: String(index) }));

test("corrects the example of the guide", () => {
  const corrected = correctMean(
    "judge_correctness",
    toReplies([
      [60, 1, 1],
      [12, 1, 0],
      [4, 0, 1],
      [24, 0, 0],
      [660, 1, null],
      [240, 0, null],
    ]),
  );
  const rounded = (value: number | null | undefined) => Number(value?.toFixed(3));
  expect([corrected.mean, corrected.ci_lower, corrected.ci_upper].map(rounded)).toEqual([0.649, 0.572, 0.724]);
  expect(rounded(corrected.raw.mean)).toBe(0.732);
  expect(rounded(corrected.lambda)).toBe(0.638);
  expect(rounded(corrected.misclassification?.mean)).toBe(0.66);
  expect(corrected).toMatchObject({ method: "prediction-powered", verdicts: 100, replies: 1000, more_verdicts: 414 });
});

test("corrects nothing from fewer than 20 verdicts or 5 scenarios, and says why", () => {
  const few = correctMean(
    "judge",
    toReplies([
      [10, 1, 1],
      [9, 0, 0],
      [100, 1, null],
    ]),
  );
  expect(few).toMatchObject({ mean: null, method: "none: fewer than 20 verdicts", verdicts: 19 });
  expect(few.sentence).toContain("at least 20 are needed");
  const clustered = toReplies([
    [15, 1, 1],
    [15, 0, 0],
  ]).map((reply, index) => ({ ...reply, cluster: String(index % 4) }));
  expect(correctMean("judge", clustered).sentence).toContain("the 30 verdicts come from 4 scenarios");
});

test("says how many verdicts would halve an exact interval, also if all are the same", () => {
  const same = correctMean(
    "judge",
    toReplies([
      [20, 1, 0],
      [400, 1, null],
    ]),
  );
  expect(same).toMatchObject({ method: "labels alone", mean: 0, more_verdicts: 22 });
  expect(same.sentence).toContain("About 22 more verdicts would halve the interval.");
});

test("verdicts on long conversations weigh little, and too few correct nothing", () => {
  const long = toReplies([
    [22, 1, 1],
    [200, 1, null],
  ]).map((reply, index) => ({ ...reply, cluster: `s${index % 40}`, weight: 0.01 }));
  const short = toReplies([
    [3, 1, 0],
    [3, 1, null],
  ]).map((reply) => ({ ...reply, cluster: `t${reply.cluster}` }));
  const refused = correctMean("judge", [...long, ...short]);
  expect(refused).toMatchObject({ mean: null, verdicts: 25, method: "none: verdicts worth fewer than 5 scenarios" });
  expect(refused.sentence).toContain("judge replies of other scenarios");
});

test("uses the verdicts alone when they say too little about the judge's errors", () => {
  const uniform = correctMean(
    "judge",
    toReplies([
      [46, 1, 1],
      [4, 0, 0],
      [500, 1, null],
      [50, 0, null],
    ]),
  );
  expect(uniform.method).toBe("labels alone");
  expect(uniform.sentence).toContain("fewer than 5 differ from the most frequent one");
  expect(uniform.ci_lower).toBe(uniform.labels_alone?.ci_lower);
});

test("a difference needs verdicts on both runs, whatever the judge says", () => {
  const good = toReplies([
    [20, 1, 1],
    [10, 0, 0],
    [50, 1, null],
    [20, 0, null],
  ]);
  const bad = toReplies([
    [10, 1, 1],
    [20, 1, 0],
    [70, 1, null],
  ]);
  const { effect, ci_upper, sentence } = correctEffect("judge", { baseline: good, candidate: bad });
  expect(effect).toBeLessThan(-0.3);
  expect(ci_upper).toBeLessThan(0);
  expect(sentence).toContain("the candidate is worse");
  const none = correctEffect("judge", { baseline: toReplies([[100, 1, null]]), candidate: bad });
  expect(none).toMatchObject({ effect: null, verdicts: { baseline: 0, candidate: 30 } });
});

test("labels that the judge scores unlike the rest correct nothing, however many they are", () => {
  const failures = toReplies([
    [7, 0, 1],
    [53, 0, 0],
    [217, 1, null],
    [23, 0, null],
  ]);
  const { mean, method, sentence } = correctMean("judge", failures);
  expect([mean, method]).toEqual([null, "none: the labelled replies are no random part"]);
  expect(sentence).toContain("the judge gives 0.000 to the labelled replies and 0.904 to the others");
  const even = toReplies([
    [45, 1, 1],
    [15, 0, 0],
    [180, 1, null],
    [60, 0, null],
  ]);
  const effect = correctEffect("judge", { baseline: even, candidate: failures });
  expect(effect).toMatchObject({
    effect: null,
    sentence: expect.stringContaining("The candidate cannot be corrected."),
  });
});

test("skipped replies widen the interval by what people may have said about them", () => {
  const rows = [
    [45, 1, 1],
    [15, 0, 0],
    [180, 1, null],
    [60, 0, null],
  ] as const;
  const whole = correctMean("judge", toReplies(rows));
  const skipping = toReplies(rows).map((reply, index) =>
    index >= 60 && index < 70 ? { ...reply, skipped: true } : reply,
  );
  const bounded = correctMean("judge", skipping);
  expect(bounded).toMatchObject({ mean: whole.mean, verdicts: 60, skipped: 10, misclassification: null });
  expect(bounded.ci_lower ?? 1).toBeLessThan((whole.ci_lower ?? 0) - 0.05);
  expect(bounded.ci_upper ?? 0).toBeGreaterThan(whole.ci_upper ?? 1);
  expect(bounded.sentence).toContain("10 replies were drawn and skipped");
  const effect = (candidate: readonly JudgedReply[]) =>
    correctEffect("judge", { baseline: toReplies(rows), candidate });
  expect(effect(skipping).ci_lower ?? 0).toBeLessThan(effect(toReplies(rows)).ci_lower ?? -1);
});
