import type { Breakdown, ScoreSlice } from "../../contract/schemas/scores/score.ts";
import { MeanTally, type ScoredInteraction } from "./score-averages.ts";

/** Further interaction types or tags are ignored: memory must not grow with the caller's input. */
const maximumSlices = 200;

/** Scores by interaction type, turn and tag. Within a slice every interaction counts once. */
export interface BreakdownTally {
  add(interaction: ScoredInteraction, tags: readonly string[]): void;
  finish(): Breakdown;
}

export function createBreakdown(): BreakdownTally {
  const types = new Map<string, MeanTally>();
  const tags = new Map<string, MeanTally>();
  const turns: MeanTally[] = [];
  /** All turns of a scenario share one list, which may be long. */
  let last: readonly string[] = [];
  let distinct = new Set<string>();

  return {
    add({ scores, interaction_type, turn_index }, itsTags) {
      if (interaction_type !== undefined) sliceOf(types, interaction_type)?.add(scores);
      if (itsTags !== last) distinct = new Set(itsTags);
      last = itsTags;
      for (const tally of slicesOf(tags, distinct)) tally.add(scores);
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

/** The slices of these names; examines at most `maximumSlices` new names. */
function* slicesOf(slices: Map<string, MeanTally>, names: ReadonlySet<string>): Iterable<MeanTally> {
  for (const name of names) {
    if (slices.size >= maximumSlices) break;
    sliceOf(slices, name);
  }
  for (const [name, tally] of slices) if (names.has(name)) yield tally;
}

function toSlice(tally: MeanTally): ScoreSlice {
  return { n: tally.n, average_scores: tally.means() };
}
