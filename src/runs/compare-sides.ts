import type { History } from "../contract/evaluation-request.ts";
import type { Measures } from "../contract/measures.ts";
import { finalStates, type RunState } from "../contract/run-state.ts";
import type { RunSummary } from "../contract/run-summary.ts";
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

export interface ComparedSides {
  readonly comparison: Comparison;
  /** Scores that were left out, and why. */
  readonly notes: readonly string[];
  readonly leaveOut: ReadonlySet<string>;
}

/** The one comparison of the service and the command line. Runs that cannot be compared are refused with the reason. */
export function compareSides(baseline: ComparedSide, candidate: ComparedSide): ComparedSides {
  const reason = whyNot(baseline, candidate);
  if (reason !== null) {
    const unpaired = { baseline_only: 0, candidate_only: 0, changed: 0 };
    return { comparison: { comparable: false, reason, unpaired }, notes: [], leaveOut: new Set() };
  }
  const { leaveOut, notes } = differingScores(baseline, candidate);
  const comparison = compareRuns({ baseline: baseline.tally, candidate: candidate.tally, leaveOut });
  return { comparison, notes, leaveOut };
}

function whyNot(baseline: ComparedSide, candidate: ComparedSide): string | null {
  for (const [title, { state, rescored }] of [
    ["baseline", baseline],
    ["candidate", candidate],
  ] as const) {
    if (!finalStates.has(state)) return `The ${title} has not ended (${state}).`;
    if (rescored?.partial) return `Scoring the ${title} again was broken off: some of its turns are scored as before.`;
  }
  const mode = ({ history }: ComparedSide) => (history === "reference" ? "the reference replies" : "its own replies");
  if (mode(baseline) !== mode(candidate)) {
    return `The baseline's model saw ${mode(baseline)} as history, the candidate's ${mode(candidate)}.`;
  }
  return null;
}
