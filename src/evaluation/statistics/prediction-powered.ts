import { mean } from "./descriptive.ts";
import { incompleteBeta, tQuantile, twoSidedP } from "./distributions.ts";
import { defaultLevel, withinScores, type Interval } from "./intervals.ts";
import { lowerBoundOfMean } from "./mean-bound.ts";

/** A reply with the judge's score and, if a person labelled it, the person's. Both are from 0 to 1. */
export interface JudgedReply {
  /** Replies of one cluster (a scenario) are not independent. */
  readonly cluster: string;
  readonly judge: number;
  readonly human?: number | undefined;
  /** True when it was drawn to be labelled and the person gave no label. */
  readonly skipped?: boolean | undefined;
  /** Its share in the mean. Default 1. */
  readonly weight?: number | undefined;
}

/** The mean that people would give all replies, from their verdicts on a random part and the judge's on all. */
export interface PoweredMean {
  readonly estimate: number;
  readonly stderr: number;
  /** The weight of the judge, 0 to 1, tuned for the smallest variance: 0 for a judge that does not help. */
  readonly lambda: number;
  readonly labelled: number;
  readonly unlabelled: number;
  /** Clusters with labels, by {@link effectiveClusters}. */
  readonly clusters: number;
  /** The deviation that each cluster contributes to the estimate. They add up to 0. */
  readonly influence: ReadonlyMap<string, number>;
  /** The part of the squared standard error that more labels do not reduce. */
  readonly fixed: number;
}

/**
 * Prediction-powered mean with power tuning (PPI++, Angelopoulos, Duchi and Zrnic 2023): λ times the judge's mean on replies
 * without a label, plus the mean of human − λ judge on those with one. The standard error is cluster-robust. Null below two
 * clusters with labels. The labels must be a random part of the replies.
 */
export function predictionPoweredMean(replies: readonly JudgedReply[]): PoweredMean | null {
  const labelled = replies.filter(({ human }) => human !== undefined) as Labelled[];
  const unlabelled = replies.filter(({ human }) => human === undefined);
  const clusters = effectiveClusters(labelled);
  if (clusters <= 1) return null;
  const lambda = unlabelled.length === 0 ? 0 : tunedLambda(labelled, unlabelled);
  const residual = weightedEstimate(labelled, ({ human, judge }) => human - lambda * judge);
  const judged = weightedEstimate(unlabelled, ({ judge }) => judge);
  const influence = new Map<string, number>();
  addInfluence(influence, labelled, ({ human, judge }) => human - lambda * judge - residual);
  addInfluence(influence, unlabelled, ({ judge }) => lambda * (judge - judged));
  const correction = clusters / (clusters - 1);
  const all = new Map<string, number>();
  const whole = weightedEstimate(replies, ({ judge }) => judge);
  const tuned = unlabelled.length === 0 ? 0 : lambda * (1 + labelled.length / unlabelled.length);
  addInfluence(all, replies, ({ judge }) => tuned * (judge - whole));
  return {
    estimate: residual + lambda * judged,
    stderr: Math.sqrt(correction * sumOfSquares(influence)),
    lambda,
    labelled: labelled.length,
    unlabelled: unlabelled.length,
    clusters,
    influence,
    fixed: correction * sumOfSquares(all),
  };
}

type Labelled = JudgedReply & { readonly human: number };

const isDrawn = ({ human, skipped = false }: JudgedReply): boolean => human !== undefined || skipped;

/** The judge's mean on the replies that were drawn to be labelled and on the others. */
export interface Balance {
  readonly drawn: number;
  readonly others: number;
  /** Of the hypothesis that the drawn replies are a random part. */
  readonly p: number;
}

/**
 * Tests whether the judge scores the replies that were drawn like the others, as it does on average if they are a random part.
 * Clustered like the other tests. Null without replies of both kinds, or if all scores are equal.
 */
export function balanceOf(replies: readonly JudgedReply[]): Balance | null {
  const [drawn, others] = [replies.filter(isDrawn), replies.filter((reply) => !isDrawn(reply))];
  const clusters = effectiveClusters(drawn);
  if (others.length === 0 || clusters <= 1) return null;
  const center = weightedEstimate(replies, ({ judge }) => judge);
  const influence = new Map<string, number>();
  addInfluence(influence, drawn, ({ judge }) => judge - center);
  addInfluence(influence, others, ({ judge }) => center - judge);
  const clustered = (clusters / (clusters - 1)) * sumOfSquares(influence);
  // Few replies with the same score have no spread of their own.
  const spread = weightedEstimate(replies, ({ judge }) => (judge - center) ** 2);
  const independent = spread * (sumOfSquares(sharesOf(drawn)) + sumOfSquares(sharesOf(others)));
  const stderr = Math.sqrt(Math.max(clustered, independent));
  const means = {
    drawn: weightedEstimate(drawn, ({ judge }) => judge),
    others: weightedEstimate(others, ({ judge }) => judge),
  };
  return stderr < 1e-12 ? null : { ...means, p: twoSidedP((means.drawn - means.others) / stderr, clusters - 1) };
}

/**
 * The number of equally heavy clusters that tell as much as these (Kish 1965). Replies of a scenario with many turns weigh little,
 * so verdicts on mostly such replies are worth fewer than they are.
 */
export function effectiveClusters(replies: readonly JudgedReply[]): number {
  const weights = new Map<string, number>();
  for (const reply of replies) weights.set(reply.cluster, (weights.get(reply.cluster) ?? 0) + weightOf(reply));
  const squares = sumOfSquares(weights);
  return squares === 0 ? 0 : totalWeight(replies) ** 2 / squares;
}

/** cov(human, judge) / ((1 + n / N) var(judge)), the variance over all replies, within 0 and 1. */
function tunedLambda(labelled: readonly Labelled[], unlabelled: readonly JudgedReply[]): number {
  const human = weightedEstimate(labelled, (reply) => reply.human);
  const judge = weightedEstimate(labelled, (reply) => reply.judge);
  const covariance = weightedEstimate(labelled, (reply) => (reply.human - human) * (reply.judge - judge));
  const all = [...labelled, ...unlabelled];
  const center = weightedEstimate(all, (reply) => reply.judge);
  const variance = (weightedEstimate(all, (reply) => (reply.judge - center) ** 2) * all.length) / (all.length - 1);
  if (variance < 1e-12) return 0;
  return Math.min(1, Math.max(0, covariance / ((1 + labelled.length / unlabelled.length) * variance)));
}

const weightOf = ({ weight = 1 }: JudgedReply): number => weight;

const totalWeight = (replies: readonly JudgedReply[]): number =>
  replies.reduce((sum, reply) => sum + weightOf(reply), 0);

/** The share of each reply in the mean, by its index. */
const sharesOf = (replies: readonly JudgedReply[]): Map<number, number> => {
  const total = totalWeight(replies);
  return new Map(replies.map((reply, index) => [index, weightOf(reply) / total]));
};

/** 0 without replies. */
function weightedEstimate<Reply extends JudgedReply>(
  replies: readonly Reply[],
  value: (reply: Reply) => number,
): number {
  const sum = replies.reduce((total, reply) => total + weightOf(reply) * value(reply), 0);
  return replies.length === 0 ? 0 : sum / totalWeight(replies);
}

function addInfluence<Reply extends JudgedReply>(
  influence: Map<string, number>,
  replies: readonly Reply[],
  deviation: (reply: Reply) => number,
): void {
  const total = totalWeight(replies);
  for (const reply of replies) {
    const part = (weightOf(reply) / total) * deviation(reply);
    influence.set(reply.cluster, (influence.get(reply.cluster) ?? 0) + part);
  }
}

function sumOfSquares(influence: ReadonlyMap<unknown, number>): number {
  let sum = 0;
  for (const part of influence.values()) sum += part * part;
  return sum;
}

/**
 * Adds four artificial labels: 0 and 1 for a reply with the judge's lowest score, and for one with the highest, each
 * as heavy as an average cluster. With few labels, errors that did not occur would otherwise count as impossible; for 0/1
 * scores this is the interval of Price and Bonett (2004) for a sum of two proportions, after Agresti and Caffo (2000).
 */
function withPseudoLabels(replies: readonly JudgedReply[], run = ""): readonly JudgedReply[] {
  const labelled = replies.filter(({ human }) => human !== undefined);
  const weight = totalWeight(labelled) / effectiveClusters(labelled);
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { judge } of replies) {
    lowest = Math.min(lowest, judge);
    highest = Math.max(highest, judge);
  }
  const added = [lowest, highest].flatMap((judge) => [0, 1].map((human) => ({ judge, human })));
  return [...replies, ...added.map((label, index) => ({ ...label, weight, cluster: `\u0000pseudo ${run} ${index}` }))];
}

/** The 95 % interval of the prediction-powered mean, with pseudo-labels and Student's t over the clusters with labels. */
export function predictionPoweredInterval(replies: readonly JudgedReply[], level = defaultLevel): Interval | null {
  const plain = predictionPoweredMean(replies);
  const powered = plain && predictionPoweredMean(withPseudoLabels(replies));
  if (!powered) return null;
  const reach = tQuantile((1 + level) / 2, plain.clusters - 1) * powered.stderr;
  return withinScores({ lower: powered.estimate - reach, upper: powered.estimate + reach });
}

/** The difference of two prediction-powered means, paired by cluster. */
export interface PoweredDifference {
  readonly estimate: number;
  readonly baseline: number;
  readonly candidate: number;
  readonly interval: Interval;
}

/** candidate − baseline. Both need labels of their own: a judge may favour one of them. Null below two clusters in either. */
export function predictionPoweredDifference(
  baseline: readonly JudgedReply[],
  candidate: readonly JudgedReply[],
  level = defaultLevel,
): PoweredDifference | null {
  const [left, right] = [predictionPoweredMean(baseline), predictionPoweredMean(candidate)];
  const [wideLeft, wideRight] = [baseline, candidate].map((side, index) =>
    side.length === 0 ? null : predictionPoweredMean(withPseudoLabels(side, String(index))),
  );
  if (!left || !right || !wideLeft || !wideRight) return null;
  const influence = new Map(wideRight.influence);
  for (const [cluster, part] of wideLeft.influence) influence.set(cluster, (influence.get(cluster) ?? 0) - part);
  const clusters = Math.min(left.clusters, right.clusters);
  const stderr = Math.sqrt((clusters / (clusters - 1)) * sumOfSquares(influence));
  const reach = tQuantile((1 + level) / 2, clusters - 1) * stderr;
  const center = wideRight.estimate - wideLeft.estimate;
  return {
    estimate: right.estimate - left.estimate,
    baseline: left.estimate,
    candidate: right.estimate,
    interval: { lower: Math.max(-1, center - reach), upper: Math.min(1, center + reach) },
  };
}

/**
 * Interval of the mean of values from 0 to 1 that holds for every distribution: for 0/1 values the exact one of Clopper and
 * Pearson, for others that of Gaffke (2005). Null without values.
 */
export function exactInterval(values: readonly number[], level = defaultLevel): Interval | null {
  if (values.length === 0) return null;
  const share = (1 + level) / 2;
  const lowest = values.every((value) => value === 0 || value === 1) ? clopperPearson : lowestMean;
  return {
    lower: lowest(values, share),
    upper:
      1 -
      lowest(
        values.map((value) => 1 - value),
        share,
      ),
  };
}

/** Many different values would take seconds; rounded down, the bound is a little lower. */
const lowestMean = (values: readonly number[], level: number): number =>
  lowerBoundOfMean(values.length > 500 ? values.map((value) => Math.floor(500 * value) / 500) : values, {
    unseen: 0,
    level,
  });

const clopperPearson = (values: readonly number[], level: number): number =>
  lowestRate({ ones: values.filter((value) => value === 1).length, count: values.length }, level);

/** The rate at which this many ones or more occur with probability 1 − level. */
export function lowestRate({ ones, count }: { readonly ones: number; readonly count: number }, level: number): number {
  if (ones <= 0) return 0;
  let [low, high] = [0, ones / count];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (incompleteBeta(middle, ones, count - ones + 1) <= 1 - level) low = middle;
    else high = middle;
  }
  return low;
}

interface MeanOfLabels {
  readonly mean: number;
  readonly interval: Interval;
}

/**
 * The interval from the labels alone. Exact over the means of the clusters if all replies weigh the same; otherwise that of Korn
 * and Graubard (1998), which is Clopper and Pearson's with the number of labels that the weights and clusters leave.
 */
export function labelsAlone(replies: readonly JudgedReply[]): MeanOfLabels | null {
  const labelled = replies.filter(({ human }) => human !== undefined) as Labelled[];
  const [first] = replies;
  if (first && replies.some((reply) => weightOf(reply) !== weightOf(first))) return weightedLabels(labelled);
  const clusters = new Map<string, number[]>();
  for (const { cluster, human } of labelled) {
    const values = clusters.get(cluster) ?? [];
    clusters.set(cluster, values);
    values.push(human);
  }
  const means = [...clusters.values()].map((values) => mean(values) ?? 0);
  const interval = exactInterval(means);
  return interval && { mean: mean(means) ?? 0, interval };
}

function weightedLabels(labelled: readonly Labelled[]): MeanOfLabels | null {
  const clusters = effectiveClusters(labelled);
  if (clusters <= 1) return null;
  const estimate = weightedEstimate(labelled, ({ human }) => human);
  const influence = new Map<string, number>();
  addInfluence(influence, labelled, ({ human }) => human - estimate);
  const variance = (clusters / (clusters - 1)) * sumOfSquares(influence);
  const most = effectiveClusters(labelled.map((reply, index) => ({ ...reply, cluster: String(index) })));
  const level = (1 + defaultLevel) / 2;
  const narrower = (tQuantile(level, Math.max(1, most - 1)) / tQuantile(level, clusters - 1)) ** 2;
  const count = narrower * (variance > 0 ? Math.min(most, (estimate * (1 - estimate)) / variance) : most);
  return { mean: estimate, interval: rateInterval(estimate, count) };
}

/** Clopper and Pearson's interval, also for a number of labels that is not whole. */
function rateInterval(rate: number, count: number): Interval {
  const lowest = (share: number): number => lowestRate({ ones: share * count, count }, (1 + defaultLevel) / 2);
  return { lower: lowest(rate), upper: 1 - lowest(1 - rate) };
}

/** The number of labels whose interval would be half as wide as that of these, at the same mean. */
export function labelsToHalve({ mean: rate, labels }: { readonly mean: number; readonly labels: number }): number {
  const width = (count: number): number => {
    const { lower, upper } = rateInterval(rate, count);
    return upper - lower;
  };
  const target = width(labels) / 2;
  // The width shrinks with the number in the extreme, and with its root in the middle of the scale.
  let [low, high] = [labels, 5 * labels];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (width(middle) <= target) high = middle;
    else low = middle;
  }
  return high;
}

/** The rate of 1 among replies, from a judge whose errors are known from the labels. */
export interface MisclassificationEstimate {
  readonly estimate: number;
  readonly interval: Interval;
  /** Share of the judge's 1 among replies that people gave 1. */
  readonly sensitivity: number;
  /** Share of the judge's 0 among replies that people gave 0. */
  readonly specificity: number;
}

/**
 * Rogan and Gladen's (1978) rate with the interval of Lang and Reiczigel (2014). Null unless judge and people say 0 or 1 and
 * both occur among the labels, and for a judge that is no better than chance. `design` divides the counts: the factor by which
 * clusters widen the variance.
 */
export function misclassificationEstimate(
  replies: readonly JudgedReply[],
  { design = 1, level = defaultLevel }: { design?: number; level?: number } = {},
): MisclassificationEstimate | null {
  const isBinary = (value: number | undefined) => value === undefined || value === 0 || value === 1;
  if (!replies.every(({ judge, human }) => isBinary(judge) && isBinary(human))) return null;
  const labelled = replies.filter(({ human }) => human !== undefined);
  const good = labelled.filter(({ human }) => human === 1);
  const bad = labelled.filter(({ human }) => human === 0);
  if (good.length === 0 || bad.length === 0) return null;
  const share = (part: readonly JudgedReply[], value: number) =>
    part.filter(({ judge }) => judge === value).length / part.length;
  const [sensitivity, specificity, apparent] = [share(good, 1), share(bad, 0), share(replies, 1)];
  if (sensitivity + specificity <= 1) return null;
  const z = tQuantile((1 + level) / 2, Math.max(1, labelled.length / design - 1));
  const clip = (value: number) => Math.min(1, Math.max(0, value));

  const [n, nGood, nBad] = [replies.length / design + z * z, good.length / design + 2, bad.length / design + 2];
  const rate = (apparent * (n - z * z) + (z * z) / 2) / n;
  const sens = (sensitivity * (nGood - 2) + 1) / nGood;
  const spec = (specificity * (nBad - 2) + 1) / nBad;
  const youden = sens + spec - 1;
  const center = clip((rate + spec - 1) / youden);
  const [ofGood, ofBad] = [(sens * (1 - sens)) / nGood, (spec * (1 - spec)) / nBad];
  const shift = 2 * z * z * (center * ofGood - (1 - center) * ofBad);
  const spread = (rate * (1 - rate)) / n + (1 - center) ** 2 * ofBad + center ** 2 * ofGood;
  const reach = (z * Math.sqrt(spread)) / youden;
  return {
    estimate: clip((apparent + specificity - 1) / (sensitivity + specificity - 1)),
    interval: { lower: clip(center + shift - reach), upper: clip(center + shift + reach) },
    sensitivity,
    specificity,
  };
}
