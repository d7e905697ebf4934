import type { ScenarioResult } from "./evaluation-response.ts";

/** The `overall` from which a turn is good and an attempt passes, where a run says nothing else. */
export const defaultThreshold = 0.8;

/** That of a run, from one of its scenarios. Results kept from an earlier release name it only where an attempt was judged. */
export const thresholdOf = ({ threshold, reliability }: Pick<ScenarioResult, "threshold" | "reliability">): number =>
  threshold ?? reliability?.threshold ?? defaultThreshold;

/** Whether a score, or what was spent, reaches a threshold. Rounding must not decide: the mean of three times 0.7 is a hair below 0.7. */
export function reaches(value: number, threshold: number): boolean {
  return value >= threshold - 1e-12;
}
