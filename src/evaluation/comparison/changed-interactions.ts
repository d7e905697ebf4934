import type { ChangedInteraction } from "../../contract/schemas/comparison.ts";
import type { RunTally, TalliedInteraction } from "./run-tally.ts";

/** Smaller differences are rounding. */
const rounding = 1e-9;

interface ChangedInteractions {
  readonly changed: readonly Omit<ChangedInteraction, "user_message">[];
  readonly regressions: number;
  readonly improvements: number;
}

/** Interactions that scored differently: regressions, then improvements, each by size; at most `most`. */
export function changedInteractions(
  baseline: RunTally,
  candidate: RunTally,
  { leaveOut, most }: { leaveOut: ReadonlySet<string>; most: number },
): ChangedInteractions {
  const all: Omit<ChangedInteraction, "user_message">[] = [];
  for (const [scenario_id, theirs] of baseline.scenarios) {
    const ours = candidate.scenarios.get(scenario_id);
    for (const [interaction_id, left] of theirs) {
      const right = ours?.get(interaction_id);
      if (!right || left.content !== right.content) continue;
      const change = changeOf(left, right, leaveOut);
      if (change) all.push({ scenario_id, interaction_id, ...change });
    }
  }
  const worse = all.filter(({ difference }) => difference < 0).toSorted((a, b) => a.difference - b.difference);
  const better = all.filter(({ difference }) => difference > 0).toSorted((a, b) => b.difference - a.difference);
  return { changed: [...worse, ...better].slice(0, most), regressions: worse.length, improvements: better.length };
}

type Change = Pick<ChangedInteraction, "score" | "baseline" | "candidate" | "difference">;

/** A regression takes precedence: fewer replies are no improvement, even if the remaining ones score better. */
function changeOf(left: TalliedInteraction, right: TalliedInteraction, leaveOut: ReadonlySet<string>): Change | null {
  const changes = ["overall", "success"].flatMap((score): Change[] => {
    const one = left.sums.get(score);
    const other = right.sums.get(score);
    if (!one || !other || leaveOut.has(score)) return [];
    const baseline = one.sum / one.count;
    const candidate = other.sum / other.count;
    const difference = candidate - baseline;
    return Math.abs(difference) > rounding ? [{ score, baseline, candidate, difference }] : [];
  });
  return changes.find(({ difference }) => difference < 0) ?? changes[0] ?? null;
}
