import { formatFigure } from "../../base/numbers.ts";
import type { CorrectedEffect, CorrectedMean } from "../../contract/schemas/judging/human-verdict.ts";
import { clusterInterval, withinScores, type Interval } from "../statistics/intervals.ts";
import {
  effectiveClusters,
  labelsAlone,
  labelsToHalve,
  misclassificationEstimate,
  predictionPoweredDifference,
  predictionPoweredInterval,
  predictionPoweredMean,
  type JudgedReply,
  type PoweredMean,
} from "../statistics/prediction-powered.ts";

/** The fewest verdicts that correct a score, and the fewest scenarios they come from. */
const correctionRule = { verdicts: 20, scenarios: 5, sure: 100, others: 5 } as const;

/**
 * Corrects a judge's mean by people's verdicts on a random part of the replies. Never from fewer than 20 verdicts. The exact
 * interval from the verdicts alone is used where it is narrower, and with fewer than 100 verdicts also where fewer than 5 differ
 * from the most frequent one.
 */
export function correctMean(score: string, replies: readonly JudgedReply[]): CorrectedMean {
  const raw = rawMean(replies);
  const labelled = replies.filter(({ human }) => human !== undefined);
  const clusters = new Set(labelled.map(({ cluster }) => cluster)).size;
  const counts = { verdicts: labelled.length, replies: replies.length, scenarios: clusters };
  const refusal = refusalOf(labelled.length, { scenarios: clusters, effective: effectiveClusters(labelled) });
  const powered = refusal === null ? predictionPoweredMean(replies) : null;
  const alone = refusal === null ? labelsAlone(replies) : null;
  const interval = refusal === null ? predictionPoweredInterval(replies) : null;
  if (!powered || !alone || !interval) {
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
  const fallback = fallbackReason(labelled, { interval, alone: alone.interval });
  const chosen = fallback === null ? { mean: powered.estimate, interval } : alone;
  const mean = Math.min(1, Math.max(0, chosen.mean));
  const rates = misclassificationEstimate(replies, { design: designEffect(replies, powered) });
  const more = moreVerdicts(powered, { total: replies.length, alone: fallback === null ? null : alone.mean });
  const result = { mean, ci_lower: chosen.interval.lower, ci_upper: chosen.interval.upper };
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
      moreText(more, counts),
    ].join(" "),
  };
}

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
  const difference = missing.length > 0 ? null : predictionPoweredDifference(baseline, candidate);
  if (!difference) {
    const reason = missing.map(([side, { sentence }]) => `The ${side} has too few verdicts. ${sentence}`).join(" ");
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

function refusalOf(
  verdicts: number,
  { scenarios, effective }: { readonly scenarios: number; readonly effective: number },
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
    return `This is from the ${labelled.length} verdicts alone (exact): with so few, or a judge that agrees so little, its scores make it no narrower.`;
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
