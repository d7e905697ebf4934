import type { Range } from "../contract/schemas/budget.ts";

export const even = (value: number): Range => ({ low: value, expected: value, high: value });

const joined =
  (join: (left: number, right: number) => number) =>
  (left: Range, right: Range): Range => ({
    low: join(left.low, right.low),
    expected: join(left.expected, right.expected),
    high: join(left.high, right.high),
  });

export const add = joined((left, right) => left + right);
export const multiply = joined((left, right) => left * right);
export const divide = joined((left, right) => left / right);
export const atLeast = joined((left, right) => Math.max(left, right));
export const scale = (range: Range, factor: number): Range => multiply(range, even(factor));

/** In whole numbers, of what there are no parts. */
export const whole = ({ low, expected, high }: Range): Range => ({
  low: Math.floor(low),
  expected: Math.round(expected),
  high: Math.ceil(high),
});
