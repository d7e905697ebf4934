import type { Run, RunState, RunSummary } from "../../../src/contract/schemas/run.ts";
import { formatMoment } from "../text/format.ts";

export const runStates: readonly RunState[] = ["queued", "running", "cancelling", "completed", "failed", "cancelled"];

export const isEnded = (state: RunState): boolean =>
  state === "completed" || state === "failed" || state === "cancelled";

/** A blank name would leave nothing to click or to read out. */
export const runName = ({ test_name: name }: { readonly test_name: string }): string =>
  name.trim() === "" ? "(no name)" : name;

interface TitledRun {
  readonly test_name: string;
  readonly created_at: string;
}

/** Distinguishes runs of the same test. The time comes first because a narrow tab shows only the first letters. */
export const runTitle = (run: TitledRun, model: string): string =>
  `${formatMoment(run.created_at, Date.now())} ${runName(run)} (${model})`;

/** Turns without a reply, and the total. While a run is in progress, both include turns that are repeated with another history. */
export function failedTurns({ progress, summary }: Pick<Run, "progress" | "summary">): { failed: number; of: number } {
  return summary
    ? { failed: summary.failed, of: summary.interactions }
    : { failed: progress.interactions_failed, of: progress.interactions_done };
}

/** How much of a run was answered: all of it, most of it, or so little that its scores mean nothing. */
export function replyHealth(run: Pick<Run, "progress" | "summary" | "state">): "good" | "fair" | "bad" {
  const { failed, of } = failedTurns(run);
  if (failed === 0) return "good";
  // The first failures of a run under way may pass.
  return failed * 2 >= of && (isEnded(run.state) || of > 2) ? "bad" : "fair";
}

/** Share of turns that got a reply; null before the first. Unlike the score `success`, it weighs all turns alike. */
export function repliedShare(summary: Pick<RunSummary, "interactions" | "failed"> | null | undefined): number | null {
  if (!summary || summary.interactions === 0) return null;
  return 1 - summary.failed / summary.interactions;
}
