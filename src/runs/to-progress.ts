import type { Run } from "../contract/schemas/run.ts";
import type { RunRecord } from "../contract/ports/store.ts";
import { plannedPasses } from "./passes.ts";

/** How far a run is. Counts both passes of one that has two. Turns of a replay are not planned and not counted; in older runs they were. */
export function toProgress({ progress, settings }: Pick<RunRecord, "progress" | "settings">): Run["progress"] {
  const interactions_total = progress.interactions_total * plannedPasses(settings);
  return {
    ...progress,
    interactions_total,
    interactions_done: Math.min(progress.interactions_done, interactions_total),
  };
}
