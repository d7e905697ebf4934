import type { NoiseFloor } from "../../contract/schemas/comparison.ts";
import { mean, standardDeviation } from "./mean.ts";
import { tQuantile } from "./t-distribution.ts";

/**
 * How far two runs of the same thing differ by chance, from the means of several such runs (A/A): t(0.975, runs - 1) · sd · √2.
 * A difference between two single runs below this is not worth reporting. Null below three runs and without any spread.
 */
export function noiseFloor(values: readonly number[]): NoiseFloor {
  const sd = standardDeviation(values);
  const figures = { runs: values.length, mean: mean(values), sd };
  if (values.length < 3 || sd === null) return { ...figures, floor: null, method: "none: fewer than three runs" };
  if (sd === 0) return { ...figures, floor: null, method: `none: all ${values.length} runs have the same value` };
  const floor = tQuantile(0.975, values.length - 1) * sd * Math.SQRT2;
  return { ...figures, floor, method: `t over ${values.length} runs` };
}
