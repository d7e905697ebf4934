import { defaultLevel, type Interval } from "./interval.ts";
import { mean, standardDeviation } from "./mean.ts";
import { tQuantile } from "./t-distribution.ts";
import { wilsonOf } from "./wilson.ts";

/**
 * Wilson's interval of a share whose trials come in clusters (the replies of a scenario), from the share of each cluster. It counts
 * as many independent trials as would leave the share as unsure as the clusters do, never more than were made, and has Student's t
 * for few clusters (the effective size of Korn and Graubard 1998 in Wilson's interval, as in Dean and Pagano 2015). Near 0 and 1 it
 * reaches further to the middle than Student's, which is even on both sides and would be too sure there. Null without spread.
 */
export function clusteredWilson(
  shares: readonly number[],
  { trials = Number.POSITIVE_INFINITY }: { trials?: number | undefined } = {},
): Interval | null {
  const share = mean(shares);
  const deviation = standardDeviation(shares);
  if (share === null || deviation === null || deviation === 0) return null;
  const effective = (share * (1 - share) * shares.length) / deviation ** 2;
  const reach = tQuantile((1 + defaultLevel) / 2, shares.length - 1);
  return wilsonOf({ share, trials: Math.min(trials, effective), reach });
}
