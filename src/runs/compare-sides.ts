import type { History } from "../contract/schemas/evaluation-request.ts";
import { finalStates, type RunState, type RunSummary } from "../contract/schemas/run.ts";
import type { Measures } from "../contract/schemas/score.ts";
import { compareRuns, type Comparison } from "../evaluation/comparison/compare-runs.ts";
import type { RunTally } from "../evaluation/comparison/run-tally.ts";
import { differingScores } from "./differing-scores.ts";
import type { EmbedderBaselines } from "./embedder-baselines.ts";

/** One of two runs to compare, wherever its figures were read from. */
export interface ComparedSide {
  readonly state: RunState;
  readonly rescored: RunSummary["rescored"];
  readonly history: History | undefined;
  readonly measures: Measures | undefined;
  readonly embedders: EmbedderBaselines;
  readonly tally: RunTally;
}

interface ComparedSides {
  readonly comparison: Comparison;
  /** Scores that were left out, and why. */
  readonly notes: readonly string[];
  readonly leaveOut: ReadonlySet<string>;
}

/** The one comparison of the service and the command line. Runs that cannot be compared are refused with the reason. */
export function compareSides(baseline: ComparedSide, candidate: ComparedSide): ComparedSides {
  const reason = whyNotAlike([baseline, candidate], ["the baseline", "the candidate"]);
  if (reason !== null) {
    const unpaired = { baseline_only: 0, candidate_only: 0, changed: 0 };
    return { comparison: { comparable: false, reason, unpaired }, notes: [], leaveOut: new Set() };
  }
  const { leaveOut, notes } = differingScores(baseline, candidate);
  const comparison = compareRuns({ baseline: baseline.tally, candidate: candidate.tally, leaveOut });
  return { comparison, notes, leaveOut };
}

/** Why the figures of two runs say nothing about each other. `titles` are the runs' within a sentence. */
export function whyNotAlike(
  sides: readonly [ComparedSide, ComparedSide],
  titles: readonly [string, string],
): string | null {
  for (const [index, { state, rescored }] of sides.entries()) {
    const title = titles[index] ?? "";
    if (!finalStates.has(state)) return `${capitalized(title)} has not ended (${state}).`;
    if (rescored?.partial) return `Scoring ${title} again was broken off: some of its turns are scored as before.`;
  }
  const [left, right] = sides.map(({ history }) =>
    history === "reference" ? "the reference replies" : "its own replies",
  );
  if (left === right) return null;
  return `${capitalized(titles[0])}'s model saw ${left} as history, ${titles[1]}'s ${right}.`;
}

const capitalized = (title: string): string => title.charAt(0).toUpperCase() + title.slice(1);
