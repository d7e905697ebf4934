import { reaches } from "./threshold.ts";

/** A figure in four digits, or as many as tell it from its bound: 0.79996, which missed 0.8, is not shown as 0.8. */
export function tellApart(actual: number, bound: number): number {
  const isBound = reaches(actual, bound) && reaches(bound, actual);
  const rounded = [4, 6, 8, 10].map((digits) => Number(actual.toFixed(digits)));
  return rounded.find((value) => isBound || value !== bound) ?? actual;
}
