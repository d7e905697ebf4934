import { holm } from "../statistics/holm.ts";

/** Holm's correction over those that have a p. The others take no part in it. */
export function adjustedPs(pValues: readonly (number | null)[]): (number | null)[] {
  const tested = pValues.flatMap((p, index) => (p === null ? [] : [{ p, index }]));
  const corrected = holm(tested.map(({ p }) => p));
  const adjusted: (number | null)[] = pValues.map(() => null);
  tested.forEach(({ index }, rank) => (adjusted[index] = corrected[rank] ?? null));
  return adjusted;
}
