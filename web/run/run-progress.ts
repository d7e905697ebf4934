import type { Run } from "../../src/contract/schemas/run.ts";
import { ApiError, isAuthError } from "../api/api-error.ts";
import { isEnded } from "../parts/runs/run-facts.ts";

/** True while a run may still change. False while the API key is refused, because its state cannot be read. */
export const isUnderWay = ({ data, error }: { data: Run | undefined; error: Error | null }): boolean =>
  data !== undefined && !isEnded(data.state) && !isRunNotFound(error) && !isAuthError(error);

/** True when the run was deleted elsewhere: its cached data must no longer be shown. */
export const isRunNotFound = (error: Error | null): boolean =>
  error instanceof ApiError && error.code === "run_not_found";

/** Progress for the title of the tab: "45 % · "; empty unless the run is under way. */
export function titleProgress({
  state,
  interrupted,
  progress,
}: Pick<Run, "state" | "interrupted" | "progress">): string {
  if (isEnded(state) || interrupted || progress.interactions_total === 0) return "";
  return `${Math.floor((100 * progress.interactions_done) / progress.interactions_total)} % · `;
}

/** Milliseconds left at the pace so far, in whole seconds, at least one; null before the first turn is done. */
export function timeLeft({ started_at, progress }: Pick<Run, "started_at" | "progress">, now: number): number | null {
  const { interactions_done: done, interactions_total: total } = progress;
  if (!started_at || done === 0 || done >= total) return null;
  const elapsed = Math.max(0, now - Date.parse(started_at));
  return Math.max(1, Math.round(((elapsed / done) * (total - done)) / 1000)) * 1000;
}
