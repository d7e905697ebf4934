/** Holm's correction: adjusted p values, in the order given, that keep the chance of any false alarm below the level. */
export function holm(pValues: readonly number[]): number[] {
  const ascending = pValues.map((p, index) => ({ p, index })).toSorted((left, right) => left.p - right.p);
  const adjusted: number[] = Array.from({ length: pValues.length }, () => 1);
  let highest = 0;
  for (const [rank, { p, index }] of ascending.entries()) {
    highest = Math.max(highest, Math.min(1, p * (pValues.length - rank)));
    adjusted[index] = highest;
  }
  return adjusted;
}
