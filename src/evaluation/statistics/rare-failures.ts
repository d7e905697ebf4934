import { alpha } from "../../base/numbers.ts";
import { lowestRate } from "./prediction-powered.ts";

/** A scenario that loses at least this much of the scale counts as a complete failure. */
const complete = 0.5;

/**
 * The largest share of scenarios that may fail completely although so few, or none, were seen: the upper end of the exact one-sided
 * 95 % interval. For none in n it is 1 - 0.05^(1/n), about 3/n.
 */
export function undetectedFailures(differences: readonly number[]): number {
  const count = differences.length;
  const failed = differences.filter((difference) => difference <= -complete).length;
  return 1 - lowestRate({ ones: count - failed, count }, 1 - alpha);
}
