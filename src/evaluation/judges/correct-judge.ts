import { compact } from "../../base/compact.ts";
import { formatFigure } from "../../base/numbers.ts";
import type { CorrectedEffect, CorrectedMean } from "../../contract/schemas/judging/human-verdict.ts";
import { clusterInterval, withinScores, type Interval } from "../statistics/intervals.ts";
import { pValueText } from "../../base/format.ts";
import {
  balanceOf,
  effectiveClusters,
  labelsAlone,
  labelsToHalve,
  misclassificationEstimate,
  predictionPoweredDifference,
  predictionPoweredInterval,
  predictionPoweredMean,
  type Balance,
  type JudgedReply,
  type PoweredDifference,
  type PoweredMean,
} from "../statistics/prediction-powered.ts";

/** The fewest verdicts that correct a score, and the fewest scenarios they come from. */
const correctionRule = { verdicts: 20, scenarios: 5, sure: 100, others: 5 } as const;

/** Below this chance under a random drawing, the labelled replies are plainly no random part. */
const balanceLevel = 0.01;

/**
 * Corrects a judge's mean by people's verdicts on a random part of the replies. Never from fewer than 20 verdicts, nor if the judge
 * scores that part plainly unlike the rest. The exact interval from the verdicts alone is used where it is narrower, and with fewer
 * than 100 verdicts also where fewer than 5 differ from the most frequent one. Replies that were skipped count as 0 at the lower end
 * and as 1 at the upper end.
 */
export function correctMean(score: string, replies: readonly JudgedReply[]): CorrectedMean {
  const raw = rawMean(replies);
  const labelled = replies.filter(({ human }) => human !== undefined);
  const clusters = new Set(labelled.map(({ cluster }) => cluster)).size;
  const skipped = replies.filter(isSkipped).length;
  const counts = compact({
    verdicts: labelled.length,
    replies: replies.length,
    scenarios: clusters,
    skipped: skipped || undefined,
  });
  const refusal = correctionRefusal(labelled.length, {
    scenarios: clusters,
    effective: effectiveClusters(labelled),
    balance: balanceOf(replies),
  });
  const found = refusal === null ? estimate(replies) : null;
  if (!found) {
    return {
      score,
      raw,
      mean: null,
      ci_lower: null,
      ci_upper: null,
      method: `none: ${refusal?.short ?? "the verdicts come from one scenario"}`,
      ...counts,
      lambda: null,
      labels_alone: null,
      misclassification: null,
      more_verdicts: null,
      sentence: refusal?.sentence ?? "",
    };
  }
  const { powered, alone, fallback, mean } = found;
  const interval = skipped === 0 ? found.interval : withSkipped(replies, found.interval);
  // The error rates are those of the judged replies only.
  const rates = skipped === 0 ? misclassificationEstimate(replies, { design: designEffect(replies, powered) }) : null;
  const more =
    skipped === 0
      ? moreVerdicts(powered, { total: replies.length, alone: fallback === null ? null : alone.mean })
      : null;
  const result = { mean, ci_lower: interval.lower, ci_upper: interval.upper };
  return {
    score,
    raw,
    ...result,
    method: fallback === null ? "prediction-powered" : "labels alone",
    ...counts,
    lambda: powered.lambda,
    labels_alone: { mean: alone.mean, ...ends(alone.interval) },
    misclassification: rates && {
      sensitivity: rates.sensitivity,
      specificity: rates.specificity,
      mean: rates.estimate,
      ...ends(rates.interval),
    },
    more_verdicts: more,
    sentence: [
      `People would give ${formatFigure(mean)} (95 % interval ${formatFigure(result.ci_lower)} to ${formatFigure(result.ci_upper)}), the judge gives ${formatFigure(raw.mean ?? 0)}.`,
      fallback ??
        `Corrected by ${counts.verdicts} verdicts on ${counts.replies} replies; the judge counts with weight ${formatFigure(powered.lambda)}.`,
      skipped === 0 ? moreText(more, counts) : skippedText(skipped),
    ].join(" "),
  };
}

interface Estimate {
  readonly mean: number;
  readonly interval: Interval;
  readonly powered: PoweredMean;
  readonly alone: { readonly mean: number; readonly interval: Interval };
  /** Why the verdicts count alone, or null. */
  readonly fallback: string | null;
}

/** Null if all verdicts come from one scenario. */
function estimate(replies: readonly JudgedReply[]): Estimate | null {
  const powered = predictionPoweredMean(replies);
  const alone = labelsAlone(replies);
  const interval = predictionPoweredInterval(replies);
  if (!powered || !alone || !interval) return null;
  const labelled = replies.filter(({ human }) => human !== undefined);
  const fallback = fallbackReason(labelled, { interval, alone: alone.interval });
  const chosen = fallback === null ? { mean: powered.estimate, interval } : alone;
  return { mean: Math.min(1, Math.max(0, chosen.mean)), interval: chosen.interval, powered, alone, fallback };
}

const isSkipped = ({ human, skipped = false }: JudgedReply): boolean => skipped && human === undefined;

/** The replies with this verdict on those that were skipped. */
const withVerdictOnSkipped = (replies: readonly JudgedReply[], human: number): JudgedReply[] =>
  replies.map((reply) => (isSkipped(reply) ? { ...reply, human } : reply));

/** From the interval if people had called all skipped replies bad, to that if they had called them good. */
function withSkipped(replies: readonly JudgedReply[], plain: Interval): Interval {
  const [bad, good] = [0, 1].map((human) => estimate(withVerdictOnSkipped(replies, human))?.interval ?? plain);
  return {
    lower: Math.min(plain.lower, bad?.lower ?? plain.lower),
    upper: Math.max(plain.upper, good?.upper ?? plain.upper),
  };
}

const skippedText = (skipped: number): string =>
  `${skipped} ${skipped === 1 ? "reply was" : "replies were"} drawn and skipped: what people would say about ${skipped === 1 ? "it" : "them"} is unknown, so the interval allows for anything. Judge ${skipped === 1 ? "it" : "them"} to narrow it.`;

/** Corrects the difference of two runs in one score, paired by scenario. Both runs need verdicts of their own. */
export function correctEffect(
  score: string,
  { baseline, candidate }: { readonly baseline: readonly JudgedReply[]; readonly candidate: readonly JudgedReply[] },
): CorrectedEffect {
  const [left, right] = [correctMean(score, baseline), correctMean(score, candidate)];
  const verdicts = { baseline: left.verdicts, candidate: right.verdicts };
  const missing = (
    [
      ["baseline", left],
      ["candidate", right],
    ] as const
  ).filter(([, { mean }]) => mean === null);
  const difference = missing.length > 0 ? null : differenceOf({ baseline, candidate });
  if (!difference) {
    const reason = missing.map(([side, { sentence }]) => `The ${side} cannot be corrected. ${sentence}`).join(" ");
    return {
      score,
      effect: null,
      ci_lower: null,
      ci_upper: null,
      method: "none: both runs need verdicts",
      baseline: left.mean,
      candidate: right.mean,
      verdicts,
      sentence: reason,
    };
  }
  const { estimate, interval } = difference;
  const direction = interval.lower > 0 ? "better" : interval.upper < 0 ? "worse" : null;
  const finding =
    direction === null
      ? "no difference can be seen"
      : `the candidate is ${direction} by ${formatFigure(Math.abs(estimate))}`;
  return {
    score,
    effect: estimate,
    ci_lower: interval.lower,
    ci_upper: interval.upper,
    method: "prediction-powered",
    // The means that the difference is one of, also where the mean of a single run falls back to the verdicts alone.
    baseline: difference.baseline,
    candidate: difference.candidate,
    verdicts,
    sentence: `By people's standards, ${finding} (95 % interval ${formatFigure(interval.lower)} to ${formatFigure(interval.upper)}, from ${verdicts.baseline} and ${verdicts.candidate} verdicts).`,
  };
}

/** The corrected difference; skipped replies count against it at the lower end, and for it at the upper end. */
function differenceOf({ baseline, candidate }: Parameters<typeof correctEffect>[1]): PoweredDifference | null {
  const plain = predictionPoweredDifference(baseline, candidate);
  if (!plain || ![...baseline, ...candidate].some(isSkipped)) return plain;
  const at = (human: number): Interval =>
    predictionPoweredDifference(withVerdictOnSkipped(baseline, 1 - human), withVerdictOnSkipped(candidate, human))
      ?.interval ?? plain.interval;
  const interval = {
    lower: Math.min(plain.interval.lower, at(0).lower),
    upper: Math.max(plain.interval.upper, at(1).upper),
  };
  return { ...plain, interval };
}

/** The judge's mean over scenarios, as in the figures of a run. */
function rawMean(replies: readonly JudgedReply[]): CorrectedMean["raw"] {
  const clusters = new Map<string, { sum: number; count: number }>();
  for (const { cluster, judge, weight = 1 } of replies) {
    const entry = clusters.get(cluster) ?? { sum: 0, count: 0 };
    clusters.set(cluster, entry);
    entry.sum += weight * judge;
    entry.count += weight;
  }
  const { mean, interval } = clusterInterval([...clusters.values()]);
  return { mean, ...ends(interval && withinScores(interval)) };
}

const ends = (interval: Interval | null) => ({
  ci_lower: interval?.lower ?? null,
  ci_upper: interval?.upper ?? null,
});

function correctionRefusal(
  verdicts: number,
  {
    scenarios,
    effective,
    balance,
  }: { readonly scenarios: number; readonly effective: number; readonly balance: Balance | null },
): { short: string; sentence: string } | null {
  if (verdicts < correctionRule.verdicts) {
    return {
      short: `fewer than ${correctionRule.verdicts} verdicts`,
      sentence: `Not corrected: people judged ${verdicts} randomly chosen ${verdicts === 1 ? "reply" : "replies"}; at least ${correctionRule.verdicts} are needed to tell the judge's errors from chance.`,
    };
  }
  if (scenarios < correctionRule.scenarios) {
    return {
      short: `verdicts from fewer than ${correctionRule.scenarios} scenarios`,
      sentence: `Not corrected: the ${verdicts} verdicts come from ${scenarios} ${scenarios === 1 ? "scenario" : "scenarios"}. Replies of one scenario resemble each other, so verdicts from at least ${correctionRule.scenarios} are needed.`,
    };
  }
  if (effective < correctionRule.scenarios) {
    return {
      short: `verdicts worth fewer than ${correctionRule.scenarios} scenarios`,
      sentence: `Not corrected: most of the ${verdicts} verdicts are on scenarios with many replies, of which each weighs little, so they are worth ${formatFigure(effective)} scenarios. At least ${correctionRule.scenarios} are needed: judge replies of other scenarios.`,
    };
  }
  if (balance && balance.p < balanceLevel) {
    return {
      short: "the labelled replies are no random part",
      sentence: `Not corrected: the judge gives ${formatFigure(balance.drawn)} to the labelled replies and ${formatFigure(balance.others)} to the others, which chance does not explain (p ${pValueText(balance.p)}). They are no random part of the run, so they say nothing about the rest: judge replies in random order.`,
    };
  }
  return null;
}

/** The reason to use the verdicts alone, or null. */
function fallbackReason(
  labelled: readonly JudgedReply[],
  { interval, alone }: { interval: Interval; alone: Interval },
): string | null {
  const counts = new Map<number, number>();
  for (const { human = 0 } of labelled) counts.set(human, (counts.get(human) ?? 0) + 1);
  const others = labelled.length - Math.max(...counts.values());
  if (labelled.length < correctionRule.sure && others < correctionRule.others) {
    return `This is from the ${labelled.length} verdicts alone (exact): fewer than ${correctionRule.others} differ from the most frequent one, too few to know the judge's errors.`;
  }
  if (alone.upper - alone.lower <= interval.upper - interval.lower)
    return `This is from the ${labelled.length} verdicts alone (exact): with so few, or a judge that agrees so little, its scores add nothing.`;
  return null;
}

/** The factor by which clusters widen the variance. */
function designEffect(replies: readonly JudgedReply[], { stderr }: PoweredMean): number {
  const independent = predictionPoweredMean(replies.map((reply, index) => ({ ...reply, cluster: String(index) })));
  const single = independent?.stderr ?? 0;
  return single > 0 ? Math.max(1, (stderr / single) ** 2) : 1;
}

/**
 * Verdicts beyond those given that would halve the interval; null when verdicts on all replies would not. `alone` is the mean of
 * the verdicts if they count alone.
 */
function moreVerdicts(
  { stderr, fixed, labelled }: PoweredMean,
  { total, alone }: { total: number; alone: number | null },
): number | null {
  const target = stderr ** 2 / 4;
  const floor = Math.min(fixed, stderr ** 2);
  if (alone === null && target <= floor) return null;
  const needed =
    alone === null
      ? Math.ceil((labelled * (stderr ** 2 - floor)) / (target - floor))
      : labelsToHalve({ mean: alone, labels: labelled });
  return needed > total ? null : needed - labelled;
}

function moreText(more: number | null, { replies, verdicts }: { replies: number; verdicts: number }): string {
  if (more !== null) return `About ${more} more verdicts would halve the interval.`;
  if (verdicts >= replies) return "Every reply has a verdict; only more scenarios make it narrower.";
  return "Verdicts on all replies would not halve the interval: that takes more scenarios.";
}
