/** How far apart two numbers may be that are equal but for the rounding of what they were made from. */
const rounding = 4 * Number.EPSILON;

/** Whether two numbers are no further apart than the tolerance. Rounding must not decide: 1.1 is within 0.1 of 1. */
export function isWithin(tolerance: number, left: number, right: number): boolean {
  return Math.abs(left - right) <= tolerance + rounding * Math.max(Math.abs(left), Math.abs(right));
}
