/** A range that holds the true value with a stated chance. */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

export const defaultLevel = 0.95;

/** The part of an interval that a score can have. */
export function withinScores({ lower, upper }: Interval): Interval {
  return { lower: Math.max(0, lower), upper: Math.min(1, upper) };
}

/** The part of an interval that a difference of two scores can have. */
export function withinDifferences({ lower, upper }: Interval): Interval {
  return { lower: Math.max(-1, lower), upper: Math.min(1, upper) };
}
