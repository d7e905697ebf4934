import type { AdaptiveAttempts, History } from "../../contract/schemas/evaluation-request.ts";
import type { NotWorse } from "../../contract/schemas/comparison.ts";
import type { Margins } from "../../contract/schemas/margins.ts";
import { finalStates, type RunState, type RunSummary } from "../../contract/schemas/run.ts";
import type { Measures } from "../../contract/schemas/scores/score.ts";
import { compareRuns, type Comparison } from "../../evaluation/comparison/compare-runs.ts";
import { compareWithMargins } from "../../evaluation/comparison/not-worse.ts";
import type { FailedReplies, RunTally } from "../../evaluation/comparison/run-tally.ts";
import { incomparableScores, type EmbedderBaselines } from "../stored/score-definitions.ts";

/** One of two runs to compare, read from a store or from a results file. */
export interface ComparedSide {
  readonly run_id?: string | undefined;
  readonly state: RunState;
  readonly rescored: RunSummary["rescored"];
  readonly history: History | undefined;
  /** Minimum `overall` of an attempt that passes. */
  readonly threshold: number | undefined;
  readonly measures: Measures | undefined;
  readonly embedders: EmbedderBaselines;
  readonly tally: RunTally;
  /** Scores that rest on a judge without an audit. */
  readonly unaudited: ReadonlySet<string>;
}

interface ComparedSides {
  readonly comparison: Comparison;
  /** Names the scores that were left out, and the reason. */
  readonly notes: readonly string[];
  readonly leaveOut: ReadonlySet<string>;
  /** Set when margins were given and the runs are comparable. */
  readonly notWorse?: Omit<NotWorse, "next">;
}

/** Compares two runs, for the service and for the command line. Runs that cannot be compared are refused with a reason. */
export function compareSides(
  baseline: ComparedSide,
  candidate: ComparedSide,
  { margins }: { margins?: Margins | undefined } = {},
): ComparedSides {
  const reason = incomparableReason([baseline, candidate], ["the baseline", "the candidate"]);
  if (reason !== null) {
    const unpaired = { baseline_only: 0, candidate_only: 0, changed: 0 };
    return { comparison: { comparable: false, reason, unpaired }, notes: [], leaveOut: new Set() };
  }
  const { leaveOut, notes } = incomparableScores(baseline, candidate);
  const ids = { baseline: baseline.run_id, candidate: candidate.run_id };
  const unaudited = new Set([...baseline.unaudited, ...candidate.unaudited]);
  const comparison = compareRuns({ baseline: baseline.tally, candidate: candidate.tally, ids, leaveOut, unaudited });
  if (!margins || !comparison.comparable) return { comparison, notes, leaveOut };
  // One threshold for both runs: the candidate's.
  const { threshold } = candidate;
  const tallies = { baseline: baseline.tally, candidate: candidate.tally };
  const notWorse = compareWithMargins({ ...tallies, margins, leaveOut, unaudited, threshold });
  return { comparison, notes, leaveOut, notWorse };
}

/** The reason why two runs cannot be compared, or null. `titles` name the runs within a sentence. */
export function incomparableReason(
  sides: readonly [ComparedSide, ComparedSide],
  titles: readonly [string, string],
): string | null {
  for (const [index, { state, rescored }] of sides.entries()) {
    const title = titles[index] ?? "";
    if (!finalStates.has(state)) return `${capitalized(title)} has not ended (${state}).`;
    if (rescored?.partial)
      return `Rescoring ${title} was interrupted: some of its turns still have their earlier scores.`;
  }
  const [left, right] = sides.map(({ history }) =>
    history === "reference" ? "the reference replies" : "its own replies",
  );
  if (left === right) return null;
  return `${capitalized(titles[0])}'s model saw ${left} as history, ${titles[1]}'s ${right}.`;
}

const capitalized = (title: string): string => title.charAt(0).toUpperCase() + title.slice(1);

interface MadeAttempts {
  /** The requested number. Results from another source may omit it. */
  readonly attempts?: number | undefined;
  /** Runs of earlier versions: bounds within which scores decided the number of attempts. */
  readonly adaptive?: AdaptiveAttempts | undefined;
}

interface CountedAttempts {
  /** How many attempts of each scenario count, the same number in every run. */
  readonly most: number;
  readonly notes: readonly string[];
}

/** The attempts that count when two runs are compared. */
export const commonPairAttempts = (baseline: MadeAttempts, candidate: MadeAttempts): CountedAttempts =>
  commonAttempts([
    ["the baseline", baseline],
    ["the candidate", candidate],
  ]);

/**
 * The number of attempts per scenario that every run can contribute, with notes on what is left out. Adaptive attempts stop
 * earlier at scenarios that begin well, so their mean is biased upwards: only the attempts made regardless of scores count. All
 * runs count the same number: a mean of twenty attempts is slightly below 1 almost everywhere, a single attempt is 1 almost
 * everywhere, so two runs of the same model would often look different.
 */
export function commonAttempts(runs: readonly (readonly [title: string, MadeAttempts])[]): CountedAttempts {
  const most = Math.min(...runs.map(([, run]) => madeAnyway(run)));
  const [fewest = ""] = runs.find(([, run]) => madeAnyway(run) === most) ?? [];
  const cut = runs.filter(([, { attempts = 0 }]) => attempts > most);
  const notes = cut.map(([title, run]) => {
    const why = madeAnyway(run) === most ? "whether more were made depended on their scores" : `${fewest} has no more`;
    const first = most === 1 ? "the first of each scenario is" : `the first ${most} of each scenario are`;
    return `Of ${title}'s attempts, only ${first} compared: ${why}.`;
  });
  return { most, notes };
}

/** With a single attempt each, turns are paired this way anyway. `score` is set when only one score is used. */
export function failedReplyNotes(
  { count }: FailedReplies,
  { most, score }: Pick<CountedAttempts, "most"> & { readonly score?: string },
): readonly string[] {
  if (count === 0 || most === 1 || score === "success") return [];
  return ["Where one run has no reply, the same attempt of the others counts only for replied."];
}

/** Attempts per scenario that were made regardless of their scores. */
function madeAnyway({ attempts = Number.POSITIVE_INFINITY, adaptive }: MadeAttempts): number {
  return adaptive?.min ?? attempts;
}
