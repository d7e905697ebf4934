/** Differences below this come from rounding alone. */
const roundingError = 1e-9;

/** 0.8136 → "0.814". A value that is neither 0 nor 1 is never shown as one of them: 0.99967 → "0.9997", 0.00002 → "0.00002". */
export function formatFigure(value: number): string {
  const text = value.toFixed(3);
  const distance = Math.abs(value - Math.round(value));
  if (distance < roundingError || !Number.isInteger(Number(text))) return text;
  return value.toFixed(Math.ceil(-Math.log10(distance) - roundingError));
}

/** Significance level: a difference with a smaller p-value is reported as real. */
export const alpha = 0.05;

/** A p-value with three decimals: "0.031", "<0.001". One below `alpha` never rounds up to it: 0.0498 → "0.0498". */
export function formatPValue(p: number): string {
  if (p < 0.001) return "<0.001";
  const digits = [3, 4, 6, 9].find((count) => p >= alpha || Number(p.toFixed(count)) < alpha);
  return p.toFixed(digits ?? 3);
}

interface NumberInterval {
  readonly ci_lower: number | null;
  readonly ci_upper: number | null;
}

/** A figure followed by its interval, if it has one: "0.81 [0.75, 0.87]". */
export function withInterval(
  text: string,
  { ci_lower, ci_upper }: NumberInterval,
  write: (value: number) => string,
): string {
  return ci_lower === null || ci_upper === null ? text : `${text} [${write(ci_lower)}, ${write(ci_upper)}]`;
}

interface IntervalAdjustment extends NumberInterval {
  readonly ci_lower_adjusted?: number | null | undefined;
  readonly ci_upper_adjusted?: number | null | undefined;
}

/** The interval that agrees with the adjusted p value. Results of earlier releases have only the plain one. */
export const adjustedInterval = (of: IntervalAdjustment): NumberInterval => ({
  ci_lower: of.ci_lower_adjusted === undefined ? of.ci_lower : of.ci_lower_adjusted,
  ci_upper: of.ci_upper_adjusted === undefined ? of.ci_upper : of.ci_upper_adjusted,
});

/** A sum of prices without binary rounding noise: 0.06, not 0.060000000000000005. */
export const roundDollars = (sum: number): number => Number(sum.toPrecision(12));

/** True when `value` is at least `threshold`. Rounding must not decide: the mean of three times 0.7 is a hair below 0.7. */
export function reaches(value: number, threshold: number): boolean {
  return value >= threshold - 1e-12;
}

/**
 * Rounds to three decimals, as `formatFigure` does, or to as many as keep the value distinct from `bound`, 0 and 1: 0.79996, which
 * missed 0.8, is not shown as 0.8.
 */
export function roundApartFrom(actual: number, bound: number): number {
  const isBound = reaches(actual, bound) && reaches(bound, actual);
  const isWhole = Math.abs(actual - Math.round(actual)) < roundingError;
  const rounded = [3, 4, 6, 8, 10].map((digits) => Number(actual.toFixed(digits)));
  return rounded.find((value) => (isBound || value !== bound) && (isWhole || !Number.isInteger(value))) ?? actual;
}
