import type { RunTally, TalliedInteraction } from "./run-tally.ts";

/** Both runs' mean of one score in one scenario, over the interactions that have it in both. */
export interface ScenarioPair {
  readonly scenario_id: string;
  readonly baseline: number;
  readonly candidate: number;
  readonly interactions: number;
}

export interface PairedRuns {
  /** Score name → one pair per scenario. */
  readonly scores: ReadonlyMap<string, readonly ScenarioPair[]>;
  readonly unpaired: {
    readonly baseline_only: number;
    readonly candidate_only: number;
    /** Same ids, but the question or what is expected differs. */
    readonly changed: number;
  };
  readonly interactions: number;
}

/**
 * Pairs two runs by scenario and interaction id. Only interactions with the same content count, and what was said of a whole
 * conversation only where all of it is the same.
 */
export function pairRuns(baseline: RunTally, candidate: RunTally): PairedRuns {
  const scores = new Map<string, ScenarioPair[]>();
  let interactions = 0;
  let changed = 0;

  for (const [scenario_id, theirs] of baseline.scenarios) {
    const ours = candidate.scenarios.get(scenario_id);
    const sums = new Map<string, { baseline: number; candidate: number; interactions: number }>();
    let same = 0;
    for (const [id, left] of theirs) {
      const right = ours?.get(id);
      if (!right) continue;
      if (left.content !== right.content) changed++;
      else {
        same++;
        addPairs(sums, left, right);
      }
    }
    interactions += same;
    const isSame = same === theirs.size && same === ours?.size;
    for (const [name, sum] of sums) {
      if (!isSame && baseline.conversation_scores.has(name)) continue;
      const pairs = scores.get(name) ?? [];
      scores.set(name, pairs);
      pairs.push({
        scenario_id,
        baseline: sum.baseline / sum.interactions,
        candidate: sum.candidate / sum.interactions,
        interactions: sum.interactions,
      });
    }
  }
  const paired = interactions + changed;
  const unpaired = {
    baseline_only: countInteractions(baseline) - paired,
    candidate_only: countInteractions(candidate) - paired,
    changed,
  };
  return { scores, unpaired, interactions };
}

function addPairs(
  sums: Map<string, { baseline: number; candidate: number; interactions: number }>,
  left: TalliedInteraction,
  right: TalliedInteraction,
): void {
  for (const [name, baseline] of left.sums) {
    const candidate = right.sums.get(name);
    if (!candidate) continue;
    const sum = sums.get(name) ?? { baseline: 0, candidate: 0, interactions: 0 };
    sums.set(name, {
      baseline: sum.baseline + baseline.sum / baseline.count,
      candidate: sum.candidate + candidate.sum / candidate.count,
      interactions: sum.interactions + 1,
    });
  }
}

function countInteractions({ scenarios }: RunTally): number {
  let count = 0;
  for (const interactions of scenarios.values()) count += interactions.size;
  return count;
}
