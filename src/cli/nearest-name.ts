import { closest, distance } from "fastest-levenshtein";

/** The name that was probably meant, where one is near enough to be that. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const nearest = closest(typed, names);
  return distance(typed, nearest) <= Math.max(2, typed.length / 3) ? nearest : undefined;
}
