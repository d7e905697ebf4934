function density(x: number): number {
  return Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
}

/** Chance that a standard normal value is at most x (Marsaglia's series; absolute error below 1e-15). */
export function normalCdf(x: number): number {
  if (x > 8) return 1;
  if (x < -8) return 0;
  let sum = x;
  let term = x;
  for (let divisor = 3; sum !== sum + term; divisor += 2) {
    term *= (x * x) / divisor;
    sum += term;
  }
  return 0.5 + sum * density(x);
}

/** The x below which a standard normal value is with chance p; 1.959964 for 0.975. */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) return p === 0 ? Number.NEGATIVE_INFINITY : p === 1 ? Number.POSITIVE_INFINITY : Number.NaN;
  if (p > 0.5) return -normalQuantile(1 - p);
  // Left of 0 the curve bends upwards, so Newton's steps from 0 approach the root from one side and never overshoot it.
  let x = 0;
  for (let step = 0; step < 100; step++) {
    const next = x - (normalCdf(x) - p) / density(x);
    if (!(Math.abs(next - x) > 1e-14)) return next;
    x = next;
  }
  return x;
}
