import { pValueText, signedText } from "../../base/format.ts";
import { alpha } from "../../base/numbers.ts";
import type { MainEffect } from "../../contract/schemas/experiment.ts";
import { mean } from "../statistics/descriptive.ts";
import { adjustTests } from "../statistics/significance.ts";
import { compareScore, intervalAt, toVerdict } from "./compare-score.ts";
import type { SharedScenario } from "./shared-score.ts";

/** The level of each setting, by run. */
type Factors = readonly Readonly<Record<string, string>>[];

/**
 * What each level of each setting does: per scenario, the mean over the runs with this level minus the mean over those with the first
 * one. In a whole grid every other setting has the same mixture on both sides. Paired by scenario, and Holm over all effects.
 */
export function mainEffects(score: string, scenarios: readonly SharedScenario[], factors: Factors): MainEffect[] {
  const settings = Object.keys(factors[0] ?? {});
  const contrasts = settings.flatMap((setting) => {
    const levels = [...new Set(factors.map((of) => of[setting] ?? ""))];
    const [against = "", ...others] = levels;
    return others.map((level) => ({ setting, level, against }));
  });
  const differences = contrasts.map(({ setting, level, against }) => {
    const meanAt = (wanted: string, { means }: SharedScenario): number =>
      mean(means.filter((_, run) => factors[run]?.[setting] === wanted)) ?? 0;
    const pairs = scenarios.map((scenario) => ({
      scenario_id: scenario.scenario_id,
      interactions: scenario.interactions,
      baseline: meanAt(against, scenario),
      candidate: meanAt(level, scenario),
    }));
    return compareScore(score, pairs);
  });
  const tests = adjustTests(
    differences.map(({ p }) => p),
    alpha,
  );
  const adjusted_for = differences.filter(({ p }) => p !== null).length;
  return contrasts.map((contrast, index) => {
    const difference = differences[index]!;
    const corrected = tests[index] ?? { p_adjusted: null, level: 1 - alpha };
    const { effect, scenarios: count } = difference;
    const { ci_lower_adjusted: ci_lower, ci_upper_adjusted: ci_upper } = intervalAt(difference, corrected.level);
    const verdict = toVerdict(difference, corrected);
    const { p_adjusted } = corrected;
    const interval =
      ci_lower === null || ci_upper === null ? "" : ` (${signedText(ci_lower)} to ${signedText(ci_upper)})`;
    const seen = `${signedText(effect)}${interval}`;
    const isShown = verdict === "better" || verdict === "worse";
    const sentence = isShown
      ? `${contrast.setting} ${contrast.level} instead of ${contrast.against} changes ${score} by ${seen}, p ${pValueText(p_adjusted ?? 1)}.`
      : `No effect on ${score} of ${contrast.setting} ${contrast.level} instead of ${contrast.against} can be seen: ${seen}.`;
    return { ...contrast, effect, ci_lower, ci_upper, p_adjusted, adjusted_for, scenarios: count, sentence };
  });
}
