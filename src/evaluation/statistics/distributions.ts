/** The p value of a two-sided t test. */
export function twoSidedP(t: number, degrees: number): number {
  return incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

function tDensity(t: number, degrees: number): number {
  const scale = logGamma((degrees + 1) / 2) - logGamma(degrees / 2) - 0.5 * Math.log(degrees * Math.PI);
  return Math.exp(scale - ((degrees + 1) / 2) * Math.log1p((t * t) / degrees));
}

/** Cached because the scores of a run share a few degrees of freedom. */
const tQuantiles = new Map<string, number>();
const maximumQuantiles = 100;

/** Quantile of Student's t distribution; 2.26216 for p = 0.975 and 9 degrees of freedom. */
export function tQuantile(p: number, degrees: number): number {
  if (!(p > 0 && p < 1) || !(degrees > 0)) return Number.NaN;
  if (p < 0.5) return -tQuantile(1 - p, degrees);
  const key = `${p} ${degrees}`;
  const known = tQuantiles.get(key);
  if (known !== undefined) return known;
  if (tQuantiles.size >= maximumQuantiles) tQuantiles.clear();
  const t = findTQuantile(p, degrees);
  tQuantiles.set(key, t);
  return t;
}

function findTQuantile(p: number, degrees: number): number {
  // Right of 0 the distribution function is concave, so Newton's method from 0 never overshoots.
  let t = 0;
  for (let step = 0; step < 200; step++) {
    const below = 1 - twoSidedP(t, degrees) / 2;
    const next = t + (p - below) / tDensity(t, degrees);
    if (!(next - t > 1e-13 * (1 + t))) return next;
    t = next;
  }
  return t;
}

function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
}

/** Standard normal distribution function (Marsaglia's series; absolute error below 1e-15). */
export function normalCdf(x: number): number {
  if (x > 8) return 1;
  if (x < -8) return 0;
  let sum = x;
  let term = x;
  for (let divisor = 3; sum !== sum + term; divisor += 2) {
    term *= (x * x) / divisor;
    sum += term;
  }
  return 0.5 + sum * normalDensity(x);
}

/** Quantile of the standard normal distribution; 1.959964 for p = 0.975. */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) return p === 0 ? Number.NEGATIVE_INFINITY : p === 1 ? Number.POSITIVE_INFINITY : Number.NaN;
  if (p > 0.5) return -normalQuantile(1 - p);
  // Left of 0 the distribution function is convex, so Newton's method from 0 never overshoots.
  let x = 0;
  for (let step = 0; step < 100; step++) {
    const next = x - (normalCdf(x) - p) / normalDensity(x);
    if (!(Math.abs(next - x) > 1e-14)) return next;
    x = next;
  }
  return x;
}

const lanczos = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];

/** Natural logarithm of the gamma function for x > 0 (Lanczos, g = 7). */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const base = x + 6.5;
  const series = lanczos.reduce((sum, coefficient, index) => sum + coefficient / (x + index), 0.9999999999998099);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(series);
}

/** Regularized incomplete beta function I_x(a, b), by Lentz's continued fraction on the side where it converges fast. */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  return (Math.exp(front) * continuedFraction(x, a, b)) / a;
}

function continuedFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  const away = (value: number) => (Math.abs(value) < tiny ? tiny : value);
  let numerator = 1;
  let denominator = 1 / away(1 - ((a + b) * x) / (a + 1));
  let result = denominator;
  for (let step = 1; step <= 1000; step++) {
    const even = (step * (b - step) * x) / ((a + 2 * step - 1) * (a + 2 * step));
    denominator = 1 / away(1 + even * denominator);
    numerator = away(1 + even / numerator);
    result *= denominator * numerator;
    const odd = (-(a + step) * (a + b + step) * x) / ((a + 2 * step) * (a + 2 * step + 1));
    denominator = 1 / away(1 + odd * denominator);
    numerator = away(1 + odd / numerator);
    const change = denominator * numerator;
    result *= change;
    if (Math.abs(change - 1) < 1e-15) break;
  }
  return result;
}
