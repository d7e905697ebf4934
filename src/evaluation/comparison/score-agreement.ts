import { alpha } from "../../base/numbers.ts";
import type { ScoreAgreement } from "../../contract/schemas/judging/score-agreement.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import { tQuantile } from "../statistics/distributions.ts";

/** A reply with its scores and the verdict of people on it, from 0 to 1. */
export interface RatedReply {
  readonly scenario: string;
  readonly scores: Scores;
  readonly verdict: number;
}

/** Fewer say too little about an order. */
const fewestReplies = 10;
const fewestScenarios = 5;

/**
 * The rank correlation (Spearman) of every score with people's verdicts, highest first, so that a headline score can be chosen.
 * Replies of one scenario resemble each other, so the interval is a jackknife over scenarios.
 */
export function scoreAgreement(replies: readonly RatedReply[]): ScoreAgreement[] {
  const names = new Set(replies.flatMap(({ scores }) => Object.keys(scores)));
  return [...names]
    .map((name) => agreementOf(name, replies))
    .toSorted(
      (left, right) => (right.correlation ?? -2) - (left.correlation ?? -2) || (left.score < right.score ? -1 : 1),
    );
}

function agreementOf(score: string, replies: readonly RatedReply[]): ScoreAgreement {
  const scored = replies.flatMap(({ scenario, scores, verdict }) => {
    const value = Object.hasOwn(scores, score) ? scores[score] : undefined;
    return value === undefined ? [] : [{ scenario, value, verdict }];
  });
  const scenarios = new Set(scored.map(({ scenario }) => scenario)).size;
  const about = { score, replies: scored.length, scenarios };
  const none = { correlation: null, ci_lower: null, ci_upper: null };
  if (scored.length < fewestReplies)
    return { ...about, ...none, method: `none: fewer than ${fewestReplies} replies with a verdict` };
  const pairs = {
    left: ranksOf(scored.map(({ value }) => value)),
    right: ranksOf(scored.map(({ verdict }) => verdict)),
  };
  const clusters = new Map<string, Sums>();
  for (const [index, { scenario }] of scored.entries())
    clusters.set(
      scenario,
      plus(clusters.get(scenario) ?? noSums, sumsOf(pairs.left[index] ?? 0, pairs.right[index] ?? 0)),
    );
  const total = [...clusters.values()].reduce((sum, part) => plus(sum, part), noSums);
  const correlation = correlationOf(total);
  if (correlation === null) return { ...about, ...none, method: "none: the scores or the verdicts are all the same" };
  const interval = scenarios < fewestScenarios ? null : jackknife(total, [...clusters.values()]);
  if (!interval) {
    const why = scenarios < fewestScenarios ? `fewer than ${fewestScenarios} scenarios` : "the order is the same";
    return { ...about, ...none, correlation, method: `Spearman; no interval: ${why}` };
  }
  return { ...about, correlation, ...interval, method: `Spearman, jackknife over ${scenarios} scenarios` };
}

/** Ranks from 1; equal values share the mean of their ranks. */
export function ranksOf(values: readonly number[]): number[] {
  const order = [...values.keys()].toSorted((left, right) => (values[left] ?? 0) - (values[right] ?? 0));
  const ranks = values.map(() => 0);
  for (let start = 0; start < order.length;) {
    let end = start;
    while (end + 1 < order.length && values[order[end + 1] ?? 0] === values[order[start] ?? 0]) end += 1;
    for (let place = start; place <= end; place += 1) ranks[order[place] ?? 0] = (start + end) / 2 + 1;
    start = end + 1;
  }
  return ranks;
}

/** Sums that Pearson's correlation is computed from; those of a scenario can be subtracted. */
type Sums = readonly [n: number, x: number, y: number, xx: number, yy: number, xy: number];

const noSums: Sums = [0, 0, 0, 0, 0, 0];
const sumsOf = (x: number, y: number): Sums => [1, x, y, x * x, y * y, x * y];
const combine = (left: Sums, right: Sums, sign: 1 | -1): Sums =>
  left.map((value, index) => value + sign * (right[index] ?? 0)) as unknown as Sums;
const plus = (left: Sums, right: Sums): Sums => combine(left, right, 1);

function correlationOf([n, x, y, xx, yy, xy]: Sums): number | null {
  const [varianceX, varianceY] = [n * xx - x * x, n * yy - y * y];
  if (n < 2 || varianceX <= 1e-9 || varianceY <= 1e-9) return null;
  return Math.max(-1, Math.min(1, (n * xy - x * y) / Math.sqrt(varianceX * varianceY)));
}

/** On Fisher's scale, where the distribution is nearly normal. The ranks are those of all replies. */
function jackknife(total: Sums, clusters: readonly Sums[]): { ci_lower: number; ci_upper: number } | null {
  const whole = correlationOf(total);
  const without = clusters.map((cluster) => correlationOf(combine(total, cluster, -1)));
  if (whole === null || [whole, ...without].some((value) => value === null || Math.abs(value) > 1 - 1e-12)) return null;
  const count = clusters.length;
  const values = without.map((value) => Math.atanh(value ?? 0));
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const half = tQuantile(1 - alpha / 2, count - 1) * Math.sqrt((squares * (count - 1)) / count);
  return { ci_lower: Math.tanh(Math.atanh(whole) - half), ci_upper: Math.tanh(Math.atanh(whole) + half) };
}
