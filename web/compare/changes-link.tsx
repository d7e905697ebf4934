import type { RunComparison } from "../../src/contract/schemas/comparison.ts";
import { formatCount, formatInteger } from "../parts/format.ts";
import { countChanges } from "./change-direction.ts";

export const changedTurnsId = "changed-turns";

/** How many turns changed, and the way to them: on a phone they stand screens below the verdict. */
export function ChangesLink({ comparison }: { comparison: RunComparison }) {
  const { worse, better } = countChanges(comparison);
  if (worse + better === 0) return null;
  return (
    <a
      href={`#${changedTurnsId}`}
      className="link"
      onClick={(event) => {
        event.preventDefault();
        const heading = document.getElementById(changedTurnsId);
        heading?.scrollIntoView();
        heading?.focus({ preventScroll: true });
      }}
    >
      {formatCount(worse, "turn")} got worse, {formatInteger(better)} got better
    </a>
  );
}
