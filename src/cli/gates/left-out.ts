import type { Comparison } from "../../evaluation/comparison/compare-runs.ts";
import { counted } from "../terminal/figures.ts";

/** What a comparison says nothing about, in words; nothing where the runs were asked the same. */
export function leftOut({ baseline_only, candidate_only, changed }: Comparison["unpaired"]): string[] {
  const parts = [
    ...(baseline_only > 0 ? [`${counted(baseline_only, "turn")} only in the baseline`] : []),
    ...(candidate_only > 0 ? [`${counted(candidate_only, "turn")} only in the candidate`] : []),
    ...(changed > 0 ? [`${counted(changed, "turn")} with another question or reference`] : []),
  ];
  return parts.length === 0 ? [] : [`Left out: ${parts.join(", ")}.`];
}
