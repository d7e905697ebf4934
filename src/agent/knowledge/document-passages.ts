import type { Passage } from "./passage.ts";

/** What was read of one document. */
export interface DocumentPassages {
  readonly passages: readonly Passage[];
  /** What is left out of it, null when nothing is. */
  readonly missing: string | null;
}
