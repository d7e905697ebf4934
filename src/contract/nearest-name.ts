import { closest, distance } from "fastest-levenshtein";

/** No name of ours is nearly as long; comparing one of megabytes would take a second. */
const longestMisspelling = 80;

/** The name that was probably meant, where one is near enough to be that. Capitals are no difference. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  if (names.length === 0 || typed.length > longestMisspelling) return undefined;
  const [wanted, ...known] = [typed, ...names].map((name) => name.toLowerCase()) as [string, ...string[]];
  const nearest = closest(wanted, known);
  // Of a name that was meant, something is left: "x" is as far from "id" as every other of two letters.
  const far = Math.min(wanted.length - 1, Math.max(2, wanted.length / 3));
  return distance(wanted, nearest) <= far ? names[known.indexOf(nearest)] : undefined;
}
