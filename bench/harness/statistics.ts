/** The middle value; NaN of nothing. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Linear between neighbours. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/** How far the values lie apart, as a share of their median: 0.1 = ten percent. 0 for fewer than two. */
export function spread(values: readonly number[]): number {
  if (values.length < 2) return 0;
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/** The same without the lowest and the highest tenth. */
export function innerSpread(values: readonly number[]): number {
  if (values.length < 2) return 0;
  return (percentile(values, 0.9) - percentile(values, 0.1)) / median(values);
}
