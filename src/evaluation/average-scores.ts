import type { Scores } from "../contract/score.ts";

/** An attempt's scores: for each score the mean over the interactions that have it. A missing score is left out, never 0. */
export function averageInteractions(interactions: readonly Scores[]): Scores {
  return meanByName(interactions);
}

/** A scenario's scores: the mean of its attempts' averages, so that each attempt counts once. */
export function averageAttempts(attempts: readonly Scores[]): Scores {
  return meanByName(attempts);
}

/** A run's scores: the mean of its scenarios' averages, so that each scenario counts once. */
export function averageScenarios(scenarios: readonly Scores[]): Scores {
  return meanByName(scenarios);
}

function meanByName(all: readonly Scores[]): Scores {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const scores of all) {
    for (const [name, value] of Object.entries(scores)) {
      const { sum, count } = sums.get(name) ?? { sum: 0, count: 0 };
      sums.set(name, { sum: sum + value, count: count + 1 });
    }
  }
  return Object.fromEntries([...sums].map(([name, { sum, count }]) => [name, sum / count]));
}
