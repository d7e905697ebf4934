import type { Run } from "../../src/contract/schemas/run.ts";

/**
 * Turns without a reply, and of how many. Once a run has ended these are the turns its figures are made of: those tried once more
 * with another history are counted only while it goes on.
 */
export function failedTurns({ progress, summary }: Pick<Run, "progress" | "summary">): { failed: number; of: number } {
  return summary
    ? { failed: summary.failed, of: summary.interactions }
    : { failed: progress.interactions_failed, of: progress.interactions_done };
}
