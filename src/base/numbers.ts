/** Below this a figure is off by rounding alone. */
const rounding = 1e-9;

/** 0.8136 → "0.814". What is neither 0 nor 1 is not shown as either: 0.99967 → "0.9997", 0.00002 → "0.00002". */
export function figureText(value: number): string {
  const text = value.toFixed(3);
  const off = Math.abs(value - Math.round(value));
  if (off < rounding || !Number.isInteger(Number(text))) return text;
  return value.toFixed(Math.ceil(-Math.log10(off) - rounding));
}

/** The p below which a difference is called one. */
export const alpha = 0.05;

/** A p in three digits: "0.031", "<0.001". One below the level is not shown as the level: 0.0498 → "0.0498". */
export function pDigits(p: number): string {
  if (p < 0.001) return "<0.001";
  const digits = [3, 4, 6, 9].find((count) => p >= alpha || Number(p.toFixed(count)) < alpha);
  return p.toFixed(digits ?? 3);
}

interface Ends {
  readonly ci_lower: number | null;
  readonly ci_upper: number | null;
}

/** A figure with its interval, where there is one: "0.81 [0.75, 0.87]". */
export function withRange(text: string, { ci_lower, ci_upper }: Ends, write: (value: number) => string): string {
  return ci_lower === null || ci_upper === null ? text : `${text} [${write(ci_lower)}, ${write(ci_upper)}]`;
}

/** A sum of prices as it is told, without what adding fractions in binary leaves: 0.06, not 0.060000000000000005. */
export const toDollars = (sum: number): number => Number(sum.toPrecision(12));

/** Whether a score, or what was spent, reaches a threshold. Rounding must not decide: the mean of three times 0.7 is a hair below 0.7. */
export function reaches(value: number, threshold: number): boolean {
  return value >= threshold - 1e-12;
}

/** A figure in four digits, or as many as tell it from its bound: 0.79996, which missed 0.8, is not shown as 0.8. */
export function tellApart(actual: number, bound: number): number {
  const isBound = reaches(actual, bound) && reaches(bound, actual);
  const rounded = [4, 6, 8, 10].map((digits) => Number(actual.toFixed(digits)));
  return rounded.find((value) => isBound || value !== bound) ?? actual;
}
