import { alpha, figureText } from "../../base/numbers.ts";
import type { Verdict } from "../../contract/schemas/comparison.ts";
import { signed } from "../signed.ts";
import type { ScoreDifference } from "./compare-score.ts";
import { pText } from "./p-text.ts";
import type { ScoreComparison } from "./score-comparison.ts";

export function toVerdict(
  { p, effect, scenarios, scenarios_better, scenarios_worse }: Omit<ScoreDifference, "deviation" | "widest">,
  adjusted: number | null,
): Verdict {
  if (scenarios < 2) return "undecided";
  if (p === null && scenarios_better + scenarios_worse === 0) return "same";
  if (adjusted === null || adjusted >= alpha) return "no_difference_seen";
  return effect > 0 ? "better" : "worse";
}

type Untold = Omit<ScoreComparison, "sentence">;

/** The verdict as a sentence for someone who does not know the terms. */
export function toSentence(difference: Untold, smallestEffect: number): string {
  const { name, effect, scenarios, verdict, p_adjusted: adjusted } = difference;
  switch (verdict) {
    case "undecided": {
      const told =
        difference.scenarios_better + difference.scenarios_worse === 0 ? "is the same" : `differs by ${signed(effect)}`;
      return `${name} ${told} in the one scenario both runs share; one scenario cannot tell more.`;
    }
    case "same":
      return `${name} is the same in all ${scenarios} scenarios.`;
    case "better":
    case "worse":
      return `${name} is ${verdict} by ${figureText(Math.abs(effect))}${interval(difference)}, p ${pText(adjusted ?? 1)}.`;
    case "no_difference_seen":
      if (difference.p !== null && difference.p < alpha) {
        const looks = effect > 0 ? "better" : "worse";
        return `${name} looks ${looks} by ${figureText(Math.abs(effect))}${interval(difference)}, but with several scores looked at that may be chance (p ${pText(adjusted ?? 1)}).`;
      }
      if (isOneSided(difference)) {
        const looks = effect > 0 ? "better" : "worse";
        return `${name} is ${looks} by ${figureText(Math.abs(effect))} in every one of the ${scenarios} scenarios, which are too few to rule out chance (p ${pText(adjusted ?? 1)}).`;
      }
      return `No difference in ${name} can be seen: ${signed(effect)}${interval(difference)}.${whatItTakes(difference, smallestEffect)}`;
  }
}

/** Every scenario differs by the same amount: there is no spread to make an interval from, only their number counts. */
function isOneSided({ ci_lower, scenarios, scenarios_better, scenarios_worse }: Untold): boolean {
  return ci_lower === null && Math.max(scenarios_better, scenarios_worse) === scenarios;
}

function interval({ ci_lower, ci_upper }: Untold): string {
  return ci_lower === null || ci_upper === null ? "" : ` (95 % interval ${signed(ci_lower)} to ${signed(ci_upper)})`;
}

function whatItTakes({ scenarios, scenarios_needed }: Untold, smallestEffect: number): string {
  if (scenarios_needed === null) return "";
  if (scenarios_needed <= scenarios)
    return ` ${scenarios} scenarios are enough to see a difference of ${smallestEffect}.`;
  const more = scenarios_needed - scenarios;
  return ` About ${more} more ${more === 1 ? "scenario" : "scenarios"} would show a difference of ${smallestEffect}.`;
}
