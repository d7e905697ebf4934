import { canonicalJson } from "../contract/canonical-json.ts";
import type { AdaptiveAttempts } from "../contract/attempts-setting.ts";

interface MadeAttempts {
  /** Bounds within which scores decided on the number of attempts. */
  readonly adaptive?: AdaptiveAttempts | undefined;
}

/** How many attempts of each scenario of a run are compared. */
export interface ComparedAttempts {
  readonly baseline: number;
  readonly candidate: number;
  readonly notes: readonly string[];
}

/**
 * Adaptive attempts leave a scenario that begins well sooner than one that begins badly, so the mean of what they made is too good.
 * Two runs with the same bounds are so alike; beside any other run only those attempts count that were made whatever their scores.
 */
export function comparedAttempts(baseline: MadeAttempts, candidate: MadeAttempts): ComparedAttempts {
  const alike = canonicalJson(baseline.adaptive ?? null) === canonicalJson(candidate.adaptive ?? null);
  const most = ({ adaptive }: MadeAttempts): number =>
    alike || !adaptive || adaptive.min === adaptive.max ? Number.POSITIVE_INFINITY : adaptive.min;
  const attempts = { baseline: most(baseline), candidate: most(candidate) };
  const cut = Object.entries(attempts).filter(([, first]) => Number.isFinite(first));
  const notes = cut.map(
    ([title, first]) =>
      `Of the ${title}'s attempts the first ${first} of each scenario are compared: whether more were made depended on their scores.`,
  );
  return { ...attempts, notes };
}
