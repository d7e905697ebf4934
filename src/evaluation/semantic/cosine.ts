/** Cosine of two vectors, -1..1; null when one has no length or they differ in size. */
export function cosine(left: readonly number[], right: readonly number[]): number | null {
  if (left.length !== right.length || left.length === 0) return null;
  let product = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  for (let index = 0; index < left.length; index++) {
    const one = left[index] as number;
    const other = right[index] as number;
    product += one * other;
    leftSquares += one * one;
    rightSquares += other * other;
  }
  const size = Math.sqrt(leftSquares) * Math.sqrt(rightSquares);
  return size > 0 && Number.isFinite(size) ? Math.max(-1, Math.min(1, product / size)) : null;
}
