import type { RunTally, TalliedInteraction } from "./run-tally.ts";

/** The scores of several runs in one scenario, over the turns that have the score in all runs. */
export interface SharedScenario {
  readonly scenario_id: string;
  readonly interactions: number;
  /** The mean of each run, in the order they were added. */
  readonly means: readonly number[];
  /** The number of replies behind each mean. */
  readonly replies: readonly number[];
}

/** One score of several runs. Only the means of each run are kept. */
export interface SharedScore {
  add(run: RunTally): void;
  scenarios(): readonly SharedScenario[];
  /** True when a turn scored other than 0 and 1. */
  isFractional(): boolean;
}

interface SharedTurn {
  readonly id: string;
  readonly content: string;
  readonly means: number[];
  readonly replies: number[];
}

interface Kept {
  readonly scenario_id: string;
  /** The turns of the first run by id. */
  readonly contents: ReadonlyMap<string, TalliedInteraction>;
  turns: SharedTurn[];
}

/** Pairs runs by ids and content; conversation scores count only if the whole scenario is the same. */
export function shareScore(name: string): SharedScore {
  let kept: Kept[] | null = null;
  let fractional = false;

  function meanIn({ sums }: TalliedInteraction): { mean: number; count: number } | null {
    const entry = sums.get(name);
    if (!entry) return null;
    fractional ||= entry.fractional;
    return { mean: entry.sum / entry.count, count: entry.count };
  }

  function begin(run: RunTally): Kept[] {
    return [...run.scenarios].map(([scenario_id, contents]) => ({
      scenario_id,
      contents,
      turns: [...contents].flatMap(([id, turn]) => {
        const found = meanIn(turn);
        return found ? [{ id, content: turn.content, means: [found.mean], replies: [found.count] }] : [];
      }),
    }));
  }

  function join(entry: Kept, run: RunTally): void {
    const theirs = run.scenarios.get(entry.scenario_id);
    const ofConversation = run.conversation_scores.has(name);
    if (!theirs || (ofConversation && !isSameTurn(entry.contents, theirs))) {
      entry.turns = [];
      return;
    }
    entry.turns = entry.turns.filter(({ id, content, means, replies }) => {
      const turn = theirs.get(id);
      const found = turn?.content === content ? meanIn(turn) : null;
      if (!found) return false;
      means.push(found.mean);
      replies.push(found.count);
      return true;
    });
  }

  return {
    add(run) {
      if (kept === null) kept = begin(run);
      else for (const entry of kept) join(entry, run);
    },
    scenarios: () => (kept ?? []).filter(({ turns }) => turns.length > 0).map(toSharedScenario),
    isFractional: () => fractional,
  };
}

function isSameTurn(
  ours: ReadonlyMap<string, TalliedInteraction>,
  theirs: ReadonlyMap<string, TalliedInteraction>,
): boolean {
  return ours.size === theirs.size && [...ours].every(([id, { content }]) => theirs.get(id)?.content === content);
}

function toSharedScenario({ scenario_id, turns }: Kept): SharedScenario {
  const runs = (turns[0]?.means ?? []).map((_, run) => run);
  const total = (values: (turn: SharedTurn) => number | undefined) =>
    turns.reduce((sum, turn) => sum + (values(turn) ?? 0), 0);
  return {
    scenario_id,
    interactions: turns.length,
    means: runs.map((run) => total(({ means }) => means[run]) / turns.length),
    replies: runs.map((run) => total(({ replies }) => replies[run])),
  };
}
