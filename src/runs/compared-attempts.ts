import { canonicalJson } from "../contract/canonical-json.ts";
import type { AdaptiveAttempts } from "../contract/attempts-setting.ts";

export interface MadeAttempts {
  /** Bounds within which scores decided on the number of attempts. */
  readonly adaptive?: AdaptiveAttempts | undefined;
}

/** How many attempts of each scenario of two runs are compared. */
export interface ComparedAttempts {
  readonly baseline: number;
  readonly candidate: number;
  readonly notes: readonly string[];
}

/** The same for two runs that are compared. */
export function comparedAttempts(baseline: MadeAttempts, candidate: MadeAttempts): ComparedAttempts {
  const { most, notes } = countedAttempts([
    ["the baseline", baseline],
    ["the candidate", candidate],
  ]);
  const [left = 0, right = 0] = most;
  return { baseline: left, candidate: right, notes };
}

/**
 * How many attempts of each scenario count where these runs stand side by side. Adaptive attempts leave a scenario that begins well
 * sooner than one that begins badly, so the mean of what they made is too good. Runs with the same bounds are so alike; beside any
 * other run only those attempts count that were made whatever their scores.
 */
export function countedAttempts(runs: readonly (readonly [title: string, MadeAttempts])[]): {
  readonly most: readonly number[];
  readonly notes: readonly string[];
} {
  const alike = new Set(runs.map(([, { adaptive }]) => canonicalJson(adaptive ?? null))).size < 2;
  const most = runs.map(([, { adaptive }]) =>
    alike || !adaptive || adaptive.min === adaptive.max ? Number.POSITIVE_INFINITY : adaptive.min,
  );
  const notes = runs.flatMap(([title], index) => {
    const first = most[index] ?? 0;
    if (!Number.isFinite(first)) return [];
    return `Of ${title}'s attempts the first ${first} of each scenario are compared: whether more were made depended on their scores.`;
  });
  return { most, notes };
}
