import { closest, distance } from "fastest-levenshtein";

/** No name of ours is nearly as long; comparing one of megabytes would take a second. */
const longestMisspelling = 80;

/** The name that was probably meant, where one is near enough to be that. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  if (names.length === 0 || typed.length > longestMisspelling) return undefined;
  const nearest = closest(typed, names);
  return distance(typed, nearest) <= Math.max(2, typed.length / 3) ? nearest : undefined;
}
