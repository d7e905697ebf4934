/** Arithmetic mean; null without values. */
export function mean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sample standard deviation (n - 1); null below two values, exactly 0 when all are equal. */
export function standardDeviation(values: readonly number[]): number | null {
  const center = mean(values);
  if (center === null || values.length < 2) return null;
  if (allEqual(values)) return 0;
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}

/** Equality up to rounding: averages of the same replies in another order may differ in the last digit. */
export function allEqual(values: readonly number[]): boolean {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  return values.length === 0 || highest - lowest <= 1e-12;
}

/** Pearson's correlation of pairs, -1..1; null below three pairs or when one side does not vary. */
export function correlation(pairs: readonly (readonly [number, number])[]): number | null {
  if (pairs.length < 3) return null;
  const average = (side: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[side], 0) / pairs.length;
  const left = average(0);
  const right = average(1);
  let product = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  for (const [x, y] of pairs) {
    product += (x - left) * (y - right);
    leftSquares += (x - left) ** 2;
    rightSquares += (y - right) ** 2;
  }
  const size = Math.sqrt(leftSquares * rightSquares);
  return size > 1e-12 ? Math.max(-1, Math.min(1, product / size)) : null;
}

/** Throws for impossible counts: figures computed from them would look plausible. */
export function requireCounts(counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts))
    if (!Number.isInteger(count) || count < 0)
      throw new RangeError(`${name} is ${count}: it must be a whole number of 0 or more`);
}

/** Throws when a part is negative or exceeds its whole. */
export function requirePart(name: string, part: number, whole: number): void {
  if (!(part >= 0 && part <= whole)) throw new RangeError(`${name} is ${part}: it must be from 0 to ${whole}`);
}
