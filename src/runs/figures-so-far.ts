import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import type { RunRecord } from "../contract/ports/store.ts";
import { createFiguring, type AttemptTurns, type Figured } from "./figure-run.ts";

/**
 * Figures of a run that grow with the attempts this process carries out: a run that was carried out here alone need not be
 * read again when it ends.
 */
export interface FiguresSoFar {
  /** Takes an attempt whose end has been written. */
  add(attempt: AttemptTurns & { readonly scenario_index: number }): void;
  /** Null when not every attempt came by: the store knows them all. */
  finish(run: RunRecord, now: () => number): Figured | null;
}

interface FiguresSoFarOptions {
  readonly settings: RunSettings;
  readonly scenarios: readonly Scenario[];
  /** So many attempts wait for one before them. Beyond that the run is read at its end: memory must not grow with it. */
  readonly reach?: number;
}

/** Attempts are counted in their order in the run, so that figures are the same to the last digit as from the store. */
export function createFiguresSoFar({ settings, scenarios, reach = 1_000 }: FiguresSoFarOptions): FiguresSoFar {
  const figuring = createFiguring(settings, scenarios);
  const total = scenarios.length * settings.attempts;
  const early = new Map<number, AttemptTurns>();
  let next = 0;
  let complete = true;

  function countOn(): void {
    for (let attempt = early.get(next); attempt; attempt = early.get(next)) {
      early.delete(next);
      const scenario = scenarios[Math.floor(next / settings.attempts)];
      if (scenario) figuring.add(scenario, attempt);
      next += 1;
    }
  }

  return {
    add(attempt) {
      if (!complete) return;
      const place = attempt.scenario_index * settings.attempts + attempt.attempt - 1;
      complete = place >= next && early.size < reach;
      if (!complete) return early.clear();
      early.set(place, attempt);
      countOn();
    },
    finish: (run, now) => (complete && next === total ? figuring.finish(run, now) : null),
  };
}
