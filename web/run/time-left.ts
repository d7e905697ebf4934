import type { Run } from "../../src/contract/schemas/run.ts";

/** Milliseconds to the end at the pace so far, in whole seconds, at least one; null while there is too little to say. */
export function timeLeft({ started_at, progress }: Pick<Run, "started_at" | "progress">, now: number): number | null {
  const { interactions_done: done, interactions_total: total } = progress;
  if (!started_at || done === 0 || done >= total) return null;
  const elapsed = Math.max(0, now - Date.parse(started_at));
  return Math.max(1, Math.round(((elapsed / done) * (total - done)) / 1000)) * 1000;
}
