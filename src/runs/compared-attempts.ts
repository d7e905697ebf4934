import type { AdaptiveAttempts } from "../contract/schemas/evaluation-request.ts";
import type { FailedReplies } from "../evaluation/comparison/run-tally.ts";

interface MadeAttempts {
  /** As many as were asked for. Results of another origin may not tell. */
  readonly attempts?: number | undefined;
  /** In runs of earlier versions: bounds within which scores decided on the number of attempts. */
  readonly adaptive?: AdaptiveAttempts | undefined;
}

interface CountedAttempts {
  /** How many attempts of each scenario count, in all the runs. */
  readonly most: number;
  readonly notes: readonly string[];
}

/** What counts of two runs that are compared. */
export const comparedAttempts = (baseline: MadeAttempts, candidate: MadeAttempts): CountedAttempts =>
  countedAttempts([
    ["the baseline", baseline],
    ["the candidate", candidate],
  ]);

/**
 * What counts of runs that stand side by side; their titles are those within a sentence.
 *
 * Adaptive attempts leave a scenario that begins well sooner than one that begins badly, so the mean of what they made is too good:
 * only those attempts count that were made whatever their scores.
 *
 * All runs count as many. The mean of twenty attempts is a little below 1 nearly everywhere, where a single one is 1 nearly
 * everywhere: of two runs of the same model the second would be called better every other time.
 */
export function countedAttempts(runs: readonly (readonly [title: string, MadeAttempts])[]): CountedAttempts {
  const most = Math.min(...runs.map(([, run]) => madeAnyway(run)));
  const [fewest = ""] = runs.find(([, run]) => madeAnyway(run) === most) ?? [];
  const cut = runs.filter(([, { attempts = 0 }]) => attempts > most);
  const notes = cut.map(([title, run]) => {
    const why =
      madeAnyway(run) === most
        ? "whether more were made depended on their scores"
        : `no more of ${fewest}'s can stand beside them`;
    const first = most === 1 ? "the first of each scenario is" : `the first ${most} of each scenario are`;
    return `Of ${title}'s attempts ${first} compared: ${why}.`;
  });
  return { most, notes };
}

/** With a single attempt each, that is how turns are paired anyway; `score`: the only one that is looked at. */
export function notesOnFailed(
  { count }: FailedReplies,
  { most, score }: Pick<CountedAttempts, "most"> & { readonly score?: string },
): readonly string[] {
  if (count === 0 || most === 1 || score === "success") return [];
  return ["Where one run failed to reply, the same attempt of the others counts for success alone."];
}

/** Attempts that were made of each scenario whatever they scored. */
function madeAnyway({ attempts = Number.POSITIVE_INFINITY, adaptive }: MadeAttempts): number {
  return adaptive?.min ?? attempts;
}
