import type { RunComparison } from "../../src/contract/schemas/comparison.ts";
import { formatCount } from "../parts/format.ts";

/** What took no part in the comparison, and why. */
export function UnpairedNote({ comparison: { unpaired, notes } }: { comparison: RunComparison }) {
  const parts = [
    unpaired.baseline_only > 0 && `${formatCount(unpaired.baseline_only, "turn")} only in the baseline`,
    unpaired.candidate_only > 0 && `${formatCount(unpaired.candidate_only, "turn")} only in the candidate`,
    unpaired.changed > 0 &&
      `${formatCount(unpaired.changed, "turn")} with the same id but another question or reference`,
  ].filter((part): part is string => part !== false);
  if (parts.length + notes.length === 0) return null;
  return (
    <section aria-label="Left out" className="grid gap-1 text-sm text-soft">
      <h2 className="font-semibold text-ink">Not compared</h2>
      <ul className="grid list-disc gap-0.5 pl-5">
        {[...parts, ...notes].map((part) => (
          <li key={part} className="verbatim">
            {part}
          </li>
        ))}
      </ul>
    </section>
  );
}
