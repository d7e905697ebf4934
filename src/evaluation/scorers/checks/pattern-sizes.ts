/** Of one pattern: making a longer one ready may take seconds, because a repetition makes a thousand parts of one. */
const longestPattern = 2_000;
/** Of all patterns together. Those that people write have some hundred steps each. */
const mostSteps = 100_000;

/** Counts what the patterns of one list of checks take, while they are made ready. */
export interface PatternSizes {
  /** Says what is wrong with making one more ready; null when nothing is. */
  problemWith(pattern: string): string | null;
  /** Counts one that is ready. Says what is wrong with the sum. */
  count(steps: number): string | null;
}

export function createPatternSizes(): PatternSizes {
  let sum = 0;
  const problem = () =>
    sum > mostSteps ? "the patterns of one run are too large together: use fewer or smaller repetitions" : null;
  return {
    problemWith: ({ length }) =>
      length > longestPattern ? `a pattern may have ${longestPattern} characters` : problem(),
    count(steps) {
      sum += steps;
      return problem();
    },
  };
}
