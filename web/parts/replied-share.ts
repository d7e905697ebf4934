import type { RunSummary } from "../../src/contract/schemas/run.ts";

/** Turns that got a reply, of all that were made; null before the first. The score `success` weighs every scenario alike. */
export function repliedShare(summary: Pick<RunSummary, "interactions" | "failed"> | null | undefined): number | null {
  if (!summary || summary.interactions === 0) return null;
  return 1 - summary.failed / summary.interactions;
}
