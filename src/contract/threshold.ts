/** The `overall` from which a turn is good and an attempt passes, where a run says nothing else. */
export const defaultThreshold = 0.8;

/** Whether a score reaches a threshold. Rounding must not decide: the mean of three times 0.7 is a hair below 0.7. */
export function reaches(score: number, threshold: number): boolean {
  return score >= threshold - 1e-12;
}
