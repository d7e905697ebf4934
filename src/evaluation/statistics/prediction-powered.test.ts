import { expect, test } from "vitest";
import {
  effectiveClusters,
  exactInterval,
  labelsAlone,
  misclassificationEstimate,
  predictionPoweredDifference,
  predictionPoweredInterval,
  predictionPoweredMean,
  type JudgedReply,
} from "./prediction-powered.ts";

/** Each reply is its own cluster. */
function toReplies(human: readonly number[], judge: readonly number[], unlabelled: readonly number[]): JudgedReply[] {
  const labelled = human.map((value, index) => ({ cluster: `l${index}`, human: value, judge: judge[index]! }));
  return [...labelled, ...unlabelled.map((value, index) => ({ cluster: `u${index}`, judge: value }))];
}

const example = toReplies(
  [1, 0, 1, 1, 0, 1, 0, 0, 1, 1],
  [1, 0, 1, 0.5, 0, 1, 0.5, 0, 1, 0],
  [1, 1, 0, 0.5, 0, 1, 0, 0, 1, 1, 0.5, 0, 1, 0, 1, 1, 0, 0, 1, 0.5],
);

test("the mean and its standard error are those of ppi-python 0.2.3", () => {
  const powered = predictionPoweredMean(example)!;
  expect(powered.estimate).toBeCloseTo(0.61161549, 8);
  // ppi-python divides by n, the cluster-robust error by n - 1.
  expect(powered.stderr * Math.sqrt(9 / 10)).toBeCloseTo(0.12909581, 7);
  expect([...powered.influence.values()].reduce((sum, part) => sum + part, 0)).toBeCloseTo(0, 12);
});

test.each([
  {
    judge: "that praises nearly everything",
    human: [1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0],
    judged: [1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1],
    others: [1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1],
    estimate: 0.3221450617283951,
    stderr: 0.132335417715426,
  },
  {
    judge: "with many ties",
    human: [0.5, 0.5, 1, 0, 0.5, 0.5, 1, 0.5, 0.5, 0, 0.5, 1],
    judged: [0.5, 0.5, 1, 0.5, 0.5, 0, 1, 0.5, 0.5, 0, 0.5, 0.5],
    others: [0.5, 0.5, 0.5, 1, 0, 0.5, 0.5, 1, 0.5, 0.5, 0, 0.5, 0.5, 0.5, 0.5, 1],
    estimate: 0.555112881806109,
    stderr: 0.07894431745470656,
  },
])("so they are for a judge $judge", ({ human, judged, others, estimate, stderr }) => {
  const powered = predictionPoweredMean(toReplies(human, judged, others))!;
  expect(powered.estimate).toBeCloseTo(estimate, 9);
  expect(powered.stderr * Math.sqrt(11 / 12)).toBeCloseTo(stderr, 9);
});

test("a judge that says nothing gets no weight, and labels on every reply need none", () => {
  expect(predictionPoweredMean(toReplies([1, 0, 1], [0.5, 0.5, 0.5], [0.5, 0.5]))).toMatchObject({ lambda: 0 });
  expect(predictionPoweredMean(toReplies([1, 0, 1], [0, 1, 0], [1, 0, 1]))).toMatchObject({ lambda: 0 });
  expect(predictionPoweredMean(toReplies([1, 0, 1, 0], [1, 0, 1, 1], []))).toMatchObject({ lambda: 0, estimate: 0.5 });
  expect(predictionPoweredMean([{ cluster: "a", judge: 1, human: 1 }])).toBeNull();
});

test("copies of a reply in its scenario do not narrow the interval", () => {
  const copies = example.flatMap((reply) => [reply, reply, reply]);
  const [one, three] = [predictionPoweredInterval(example)!, predictionPoweredInterval(copies)!];
  expect(three.upper - three.lower).toBeCloseTo(one.upper - one.lower, 2);
});

test("errors that did not occur are not impossible: full agreement still has a width", () => {
  const agreed = toReplies(
    Array.from({ length: 30 }, (_, index) => index % 2),
    Array.from({ length: 30 }, (_, index) => index % 2),
    Array.from({ length: 300 }, (_, index) => index % 2),
  );
  const interval = predictionPoweredInterval(agreed)!;
  expect(interval.upper - interval.lower).toBeGreaterThan(0.1);
});

test("the interval from labels alone is that of Clopper and Pearson (scipy 1.17.1)", () => {
  const values = Array.from({ length: 30 }, (_, index) => (index < 7 ? 1 : 0));
  const interval = exactInterval(values)!;
  expect(interval.lower).toBeCloseTo(0.09933786495801974, 6);
  expect(interval.upper).toBeCloseTo(0.4228365229782195, 6);
  expect(exactInterval([])).toBeNull();
  const clustered = [0.2, 0.4].flatMap((human) => [
    { cluster: String(human), judge: 1, human },
    { cluster: String(human), judge: 0, human },
  ]);
  expect(labelsAlone(clustered)!.mean).toBeCloseTo(0.3, 12);
});

test("scenarios of unequal size count the same: statsmodels 0.15.0 for the mean, Korn and Graubard for the interval", () => {
  // Four scenarios of one reply, and four of four.
  const human = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0];
  const replies = human.map((value, index) => ({
    cluster: `s${index < 4 ? index : 3 + Math.floor(index / 4)}`,
    weight: index < 4 ? 1 : 0.25,
    judge: 1,
    human: value,
  }));
  expect(predictionPoweredMean(replies)).toMatchObject({ lambda: 0, clusters: 8 });
  expect(predictionPoweredMean(replies)!.stderr).toBeCloseTo(0.1526367946185603, 9);
  const alone = labelsAlone(replies)!;
  expect(alone.mean).toBeCloseTo(0.53125, 12);
  // beta.ppf of scipy 1.17.1 with 9.109 labels.
  expect(alone.interval.lower).toBeCloseTo(0.19628421801080387, 8);
  expect(alone.interval.upper).toBeCloseTo(0.846137140766476, 8);
  expect(effectiveClusters(replies.slice(3, 8))).toBeCloseTo(2, 12);
  const same = replies.map((reply) => ({ ...reply, human: 1 }));
  expect(labelsAlone(same)!.interval).toMatchObject({ upper: 1 });
  expect(labelsAlone(same)!.interval.lower).toBeLessThan(0.75);
});

test("the rate from error rates is Rogan and Gladen's, with the interval of Lang and Reiczigel", () => {
  // 30 good replies of which the judge finds 27, 30 bad ones of which it finds 24; it gives 1 to 150 of 300.
  const labelled = [...Array.from({ length: 30 }, () => 1), ...Array.from({ length: 30 }, () => 0)];
  const judged = labelled.map((human, index) => (index % 30 < (human === 1 ? 27 : 6) ? 1 : 0));
  const others = Array.from({ length: 240 }, (_, index) => (index < 117 ? 1 : 0));
  const found = misclassificationEstimate(toReplies(labelled, judged, others))!;
  expect(found).toMatchObject({ sensitivity: 0.9, specificity: 0.8 });
  expect(found.estimate).toBeCloseTo(0.42857142857142855, 12);
  expect(found.interval.lower).toBeCloseTo(0.2435398336453384, 9);
  expect(found.interval.upper).toBeCloseTo(0.5881871189366311, 9);
  expect(misclassificationEstimate(example)).toBeNull();
  expect(misclassificationEstimate(toReplies([1, 0], [0, 1], [1]))).toBeNull();
});

test("a difference of two runs is paired by scenario", () => {
  const scenario = (index: number) => ({ cluster: `s${index}` });
  const hard = (index: number) => (index % 2 === 0 ? 0.2 : 0.8);
  const run = (gain: number): JudgedReply[] =>
    Array.from({ length: 80 }, (_, index) => ({
      ...scenario(index),
      judge: hard(index) + gain,
      ...(index < 40 && { human: hard(index) + gain }),
    }));
  const difference = predictionPoweredDifference(run(0), run(0.1))!;
  expect(difference.estimate).toBeCloseTo(0.1, 9);
  const apart = predictionPoweredDifference(
    run(0),
    run(0.1).map((reply) => ({ ...reply, cluster: `other ${reply.cluster}` })),
  )!;
  const width = ({ interval: { lower, upper } }: typeof difference) => upper - lower;
  expect(width(difference)).toBeLessThan(0.6 * width(apart));
});
