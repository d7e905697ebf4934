import type { Breakdown, Slice } from "../contract/score-stats.ts";
import { MeanTally } from "./mean-tally.ts";
import type { ScoredInteraction } from "./scored-interaction.ts";

/** Kinds of turn or tags beyond this many are not told apart: memory must not grow with what a caller makes up. */
const maximumSlices = 200;

/** Scores by interaction type, by place in the conversation and by tag. Within a slice every interaction counts once. */
export interface BreakdownTally {
  add(interaction: ScoredInteraction, tags: readonly string[]): void;
  finish(): Breakdown;
}

export function createBreakdown(): BreakdownTally {
  const types = new Map<string, MeanTally>();
  const tags = new Map<string, MeanTally>();
  const turns: MeanTally[] = [];

  return {
    add({ scores, interaction_type, turn_index }, itsTags) {
      if (interaction_type !== undefined) sliceOf(types, interaction_type)?.add(scores);
      for (const tag of new Set(itsTags)) sliceOf(tags, tag)?.add(scores);
      if (turn_index === undefined) return;
      while (turns.length <= turn_index) turns.push(new MeanTally());
      turns[turn_index]?.add(scores);
    },
    finish: () => ({
      interaction_type: Object.fromEntries([...types].map(([name, tally]) => [name, toSlice(tally)])),
      turn_index: turns.map(toSlice),
      tag: Object.fromEntries([...tags].map(([name, tally]) => [name, toSlice(tally)])),
    }),
  };
}

function sliceOf(slices: Map<string, MeanTally>, name: string): MeanTally | undefined {
  if (!slices.has(name) && slices.size < maximumSlices) slices.set(name, new MeanTally());
  return slices.get(name);
}

function toSlice(tally: MeanTally): Slice {
  return { n: tally.n, average_scores: tally.means() };
}
