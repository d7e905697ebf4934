/** Pearson's correlation of pairs, -1..1; null below three pairs or when one side does not vary. */
export function correlation(pairs: readonly (readonly [number, number])[]): number | null {
  if (pairs.length < 3) return null;
  const mean = (side: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[side], 0) / pairs.length;
  const left = mean(0);
  const right = mean(1);
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
