import type { ProgressFigures } from "../eval/progress.ts";
import { progressText } from "./progress-text.ts";

/** For logs: a plain line for each tenth of the run, and after ten seconds without one. */
export function createProgressLines(write: (line: string) => void): (figures: ProgressFigures) => void {
  let tenth = 0;
  let lastMs = 0;
  return (figures) => {
    const reached = figures.turns === 0 ? 10 : Math.floor((10 * figures.done) / figures.turns);
    if (reached <= tenth && figures.elapsedMs - lastMs < 10_000) return;
    tenth = Math.max(tenth, reached);
    lastMs = figures.elapsedMs;
    write(progressText(figures));
  };
}
