import { isWithin } from "./is-within.ts";

/** The numbers of one item of a list, always in the same order. */
type Numbers = readonly number[];

/** Beyond so many pairs of items to try, items go in order of size, which may miss a pair. */
const mostPairs = 10_000;

/** How many items of two lists fit each other, each used once: all their numbers are within the tolerance. */
export function sharedWithin(tolerance: number, left: readonly Numbers[], right: readonly Numbers[]): number {
  const fits = (one: Numbers, two: Numbers): boolean =>
    one.every((number, index) => isWithin(tolerance, number, two[index] as number));
  const [ours, theirs] = [left.toSorted(inOrder), right.toSorted(inOrder)];
  const isLine = (ours[0]?.length ?? 0) <= 1 || ours.length * theirs.length > mostPairs;
  return isLine ? sharedInOrder(ours, theirs, fits) : mostPaired(ours, theirs, fits);
}

type Fits = (one: Numbers, two: Numbers) => boolean;

/** In order of size, whoever is too small for its counterpart fits none behind it. */
function sharedInOrder(ours: readonly Numbers[], theirs: readonly Numbers[], fits: Fits): number {
  let shared = 0;
  for (let at = 0, other = 0; at < ours.length && other < theirs.length;) {
    const [one, two] = [ours[at] as Numbers, theirs[other] as Numbers];
    const isShared = fits(one, two);
    const isSmaller = inOrder(one, two) < 0;
    if (isShared) shared++;
    if (isShared || isSmaller) at++;
    if (isShared || !isSmaller) other++;
  }
  return shared;
}

/** Whoever finds its counterparts taken asks their holders for another one. */
function mostPaired(ours: readonly Numbers[], theirs: readonly Numbers[], fits: Fits): number {
  const counterparts = ours.map((one) => [...theirs.keys()].filter((index) => fits(one, theirs[index] as Numbers)));
  const holders: (number | undefined)[] = theirs.map(() => undefined);
  const takes = (one: number, asked: Set<number>): boolean =>
    (counterparts[one] as number[]).some((index) => {
      if (asked.has(index)) return false;
      asked.add(index);
      const holder = holders[index];
      if (holder !== undefined && !takes(holder, asked)) return false;
      holders[index] = one;
      return true;
    });
  return ours.filter((_, one) => takes(one, new Set())).length;
}

function inOrder(one: Numbers, two: Numbers): number {
  const index = one.findIndex((number, at) => number !== two[at]);
  return index === -1 ? 0 : (one[index] as number) - (two[index] as number);
}
