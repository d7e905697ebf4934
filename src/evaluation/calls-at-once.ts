import type { RunSettings } from "../contract/schemas/evaluation-request.ts";

/** Calls of one attempt that are under way at once with reference history, unless the run asks for fewer. */
export const reachOfReference = 16;

/** Attempts, each of so many turns, and how they are run. */
interface PlannedCalls extends Pick<RunSettings, "history" | "concurrency"> {
  readonly attempts: number;
  readonly turns: number;
}

export interface CallLimits {
  /** Attempts of a run side by side, where it does not say how many. */
  readonly concurrency: number;
  /** Calls that may be made at once, whatever a run asks for. Default: any number. */
  readonly mostCalls?: number | undefined;
}

/** How many calls go side by side. */
export function callsAtOnce(planned: PlannedCalls, { concurrency, mostCalls = Infinity }: CallLimits): number {
  const held = Math.min(planned.concurrency ?? concurrency, planned.attempts);
  return Math.max(1, Math.min(held * ofOneAttempt(planned), mostCalls));
}

/** How many calls of one attempt follow each other at least. */
export function callsInARow(planned: Pick<PlannedCalls, "history" | "concurrency" | "turns">): number {
  return planned.history === "reference" ? Math.ceil(planned.turns / ofOneAttempt(planned)) : planned.turns;
}

/** With its own replies as history a model is asked turn by turn, with reference replies any turn; both ways, one beside the other. */
function ofOneAttempt({
  history,
  concurrency,
  turns,
}: Pick<PlannedCalls, "history" | "concurrency" | "turns">): number {
  if (history === "reference") return Math.max(1, Math.min(turns, concurrency ?? reachOfReference, reachOfReference));
  return history === "both" ? 2 : 1;
}
