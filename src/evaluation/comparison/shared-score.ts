import type { RunTally, TalliedInteraction } from "./run-tally.ts";

/** What several runs scored in one scenario, over the turns that all of them were asked and that have the score in all. */
export interface SharedScenario {
  readonly scenario_id: string;
  readonly interactions: number;
  /** A mean for each run, in the order they were added. */
  readonly means: readonly number[];
}

/** One score of several runs, put side by side. Of each run no more is kept than its means. */
export interface SharedScore {
  add(run: RunTally): void;
  scenarios(): readonly SharedScenario[];
  /** Whether a turn has anything but 0 and 1. */
  isFractional(): boolean;
}

interface Turn {
  readonly id: string;
  readonly content: string;
  readonly means: number[];
}

interface Kept {
  readonly scenario_id: string;
  /** Content of every turn of the first run, by id. */
  readonly contents: ReadonlyMap<string, TalliedInteraction>;
  turns: Turn[];
}

/** Pairs runs as {@link pairRuns} does two: by ids and content, and what was said of a whole conversation only where all of it is the same. */
export function shareScore(name: string): SharedScore {
  let kept: Kept[] | null = null;
  let fractional = false;

  function meanIn({ sums }: TalliedInteraction): number | null {
    const entry = sums.get(name);
    if (!entry) return null;
    fractional ||= !Number.isInteger(entry.sum);
    return entry.sum / entry.count;
  }

  function begin(run: RunTally): Kept[] {
    return [...run.scenarios].map(([scenario_id, contents]) => ({
      scenario_id,
      contents,
      turns: [...contents].flatMap(([id, turn]) => {
        const mean = meanIn(turn);
        return mean === null ? [] : [{ id, content: turn.content, means: [mean] }];
      }),
    }));
  }

  function join(entry: Kept, run: RunTally): void {
    const theirs = run.scenarios.get(entry.scenario_id);
    const ofConversation = run.conversation_scores.has(name);
    if (!theirs || (ofConversation && !isSame(entry.contents, theirs))) {
      entry.turns = [];
      return;
    }
    entry.turns = entry.turns.filter(({ id, content, means }) => {
      const turn = theirs.get(id);
      const mean = turn?.content === content ? meanIn(turn) : null;
      if (mean !== null) means.push(mean);
      return mean !== null;
    });
  }

  return {
    add(run) {
      if (kept === null) kept = begin(run);
      else for (const entry of kept) join(entry, run);
    },
    scenarios: () => (kept ?? []).filter(({ turns }) => turns.length > 0).map(toScenario),
    isFractional: () => fractional,
  };
}

function isSame(
  ours: ReadonlyMap<string, TalliedInteraction>,
  theirs: ReadonlyMap<string, TalliedInteraction>,
): boolean {
  return ours.size === theirs.size && [...ours].every(([id, { content }]) => theirs.get(id)?.content === content);
}

function toScenario({ scenario_id, turns }: Kept): SharedScenario {
  const runs = turns[0]?.means.length ?? 0;
  const means = Array.from(
    { length: runs },
    (_, run) => turns.reduce((sum, turn) => sum + (turn.means[run] ?? 0), 0) / turns.length,
  );
  return { scenario_id, interactions: turns.length, means };
}
