import { compact } from "../../base/compact.ts";
import { alpha, formatFigure } from "../../base/numbers.ts";
import type { PairwiseComparison } from "../../contract/schemas/comparison.ts";
import { addHelperUsage, hasHelperUsage, noHelperUsage } from "../helpers/helper-usage.ts";
import { pValueText } from "../../base/format.ts";
import type { PairJudgement } from "../judges/judge-pair.ts";
import { mean as meanOf } from "../statistics/descriptive.ts";
import type { Interval } from "../statistics/intervals.ts";
import { meanInterval, scoreScale } from "../statistics/mean-interval.ts";
import { mcnemar } from "../statistics/significance.ts";

/** A verdict on two replies: left is the baseline, right the candidate. */
export interface JudgedPair {
  readonly scenario: string;
  readonly judgement: Pick<PairJudgement, "winner" | "flipped"> & Partial<Pick<PairJudgement, "helper_usage">>;
}

/** Summarizes a judge's verdicts on two runs. The scenario is the unit of the test. */
export function pairwiseFigures(judged: readonly JudgedPair[], judge_audited: boolean): PairwiseComparison {
  const read = judged.flatMap(({ scenario, judgement: { winner, flipped } }) =>
    winner === null ? [] : [{ scenario, winner, flipped }],
  );
  const count = (side: string) => read.filter(({ winner }) => winner === side).length;
  const scenarios = new Map<string, { sum: number; count: number }>();
  for (const { scenario, winner } of read) {
    const entry = scenarios.get(scenario) ?? { sum: 0, count: 0 };
    scenarios.set(scenario, entry);
    entry.sum += winner === "right" ? 1 : winner === "tie" ? 0.5 : 0;
    entry.count++;
  }
  const rates = [...scenarios.values()].map(({ sum, count: pairs }) => sum / pairs);
  const mean = meanOf(rates);
  const ends = meanInterval(rates, scoreScale);
  const better = rates.filter((rate) => rate > 0.5).length;
  const worse = rates.filter((rate) => rate < 0.5).length;
  const p = rates.length < 2 ? null : mcnemar(better, worse);
  const spent = judged.reduce((sum, { judgement }) => addHelperUsage(sum, judgement.helper_usage), noHelperUsage);
  return compact({
    pairs: read.length,
    unreadable: judged.length - read.length,
    wins: count("right"),
    losses: count("left"),
    ties: count("tie"),
    position_flip_rate: read.length === 0 ? null : read.filter(({ flipped }) => flipped).length / read.length,
    win_rate: mean,
    ci_lower: ends?.lower ?? null,
    ci_upper: ends?.upper ?? null,
    p,
    sentence:
      judged.length === 0
        ? "There is no question that both runs were asked and answered."
        : toPairwiseSentence({ better, worse, scenarios: rates.length, p, ends }) +
          unreadableText(judged.length, read.length),
    judge_audited,
    helper_usage: hasHelperUsage(spent) ? spent : undefined,
  });
}

/** Unreadable verdicts are reported, since the others may not be representative. */
function unreadableText(judged: number, read: number): string {
  if (read === 0 || read === judged) return "";
  return ` On ${judged - read} of ${judged} pairs it gave no readable verdict.`;
}

interface Preference {
  /** Scenarios in which the candidate, or the baseline, is preferred. */
  readonly better: number;
  readonly worse: number;
  readonly scenarios: number;
  readonly p: number | null;
  /** Of the win rate. */
  readonly ends: Interval | null;
}

function toPairwiseSentence({ better, worse, scenarios, p, ends }: Preference): string {
  if (scenarios === 0) return "The judge gave no readable verdict.";
  const counts = `the candidate is preferred in ${better} and the baseline in ${worse} of ${scenarios} scenarios`;
  if (p === null)
    return `In the one scenario both runs share, ${better > worse ? "the candidate" : worse > better ? "the baseline" : "neither"} is preferred; one scenario cannot tell more.`;
  if (p >= alpha) return `No preference can be seen: ${counts} (p ${pValueText(p)}).`;
  // Narrow wins in most scenarios may be outweighed by clear losses in a few.
  if (ends && (better > worse ? ends.lower <= 0.5 : ends.upper >= 0.5))
    return `No preference can be seen: ${counts} (p ${pValueText(p)}), but over all the win rate may be on either side of 0.5 (95 % interval ${formatFigure(ends.lower)} to ${formatFigure(ends.upper)}).`;
  return `The judge prefers the ${better > worse ? "candidate" : "baseline"}: ${counts} (p ${pValueText(p)}).`;
}
