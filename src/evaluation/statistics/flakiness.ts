import type { Flakiness } from "../../contract/schemas/run.ts";
import type { Spread } from "./spread-table.ts";

/** Scenarios shown at most. */
const shown = 20;

/** Ranks scenarios by how much their attempts differ. Null when no scenario has two attempts or none varies. */
export function flakiness(scenarios: readonly (Spread & { readonly scenario_id: string })[]): Flakiness | null {
  const spread = scenarios.flatMap(({ scenario_id, variance, count }) =>
    variance === null ? [] : [{ scenario_id, variance, attempts: count }],
  );
  const total = spread.reduce((sum, { variance }) => sum + variance, 0);
  if (total === 0) return null;
  const ranked = spread
    .filter(({ variance }) => variance > 0)
    .toSorted((left, right) => right.variance - left.variance || (left.scenario_id < right.scenario_id ? -1 : 1))
    .map((entry) => ({ ...entry, share: entry.variance / total }));
  return { sentence: toSentence(ranked, spread.length), scenarios: ranked.slice(0, shown) };
}

/** The few scenarios that make at least 60 % of the variance. */
function toSentence(ranked: readonly { share: number }[], scenarios: number): string {
  let share = 0;
  let count = 0;
  for (const entry of ranked) {
    share += entry.share;
    count++;
    if (share >= 0.6) break;
  }
  const noun = scenarios === 1 ? "scenario" : "scenarios";
  // All of it only where no other scenario varies.
  const percent = count < ranked.length ? Math.min(99, Math.round(share * 100)) : 100;
  return `${count} of ${scenarios} ${noun} ${count === 1 ? "makes" : "make"} ${percent} % of the variance between attempts.`;
}
