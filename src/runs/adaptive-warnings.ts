import type { RunSettings } from "../contract/evaluation-request.ts";
import type { Warning } from "../contract/warning.ts";

/** With so many made in any case, the mean of a run is as good as with a fixed number (docs/statistics.md has the figures). */
const enoughAtFirst = 10;

/** A scenario that begins well is left sooner than one that begins badly: whoever reports the mean has to know. */
export function adaptiveWarnings({ adaptive }: Pick<RunSettings, "adaptive">): readonly Warning[] {
  if (!adaptive || adaptive.min === adaptive.max || adaptive.min >= enoughAtFirst) return [];
  return [
    {
      pointer: "/attempts",
      message:
        "shows where attempts are needed, and makes means up to 0.05 too good and their intervals too narrow; for figures to report, ask for a fixed number, or for a min of 10",
    },
  ];
}
