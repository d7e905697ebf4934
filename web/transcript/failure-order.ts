import { isFailure, judgeTurn, thresholdOf } from "../parts/judge-turn.ts";
import type { ScenarioRow } from "../run/scenario-rows.ts";

export interface TurnPlace {
  readonly scenarioId: string;
  readonly attempt: number;
  readonly turn: number;
}

/** Every turn with its verdict, in the order the run screen lists them. */
function* places(rows: readonly ScenarioRow[]): Generator<TurnPlace & { failing: boolean }> {
  for (const { scenario } of rows) {
    const threshold = thresholdOf(scenario);
    for (const { attempt, interactions } of scenario.attempts) {
      for (const [turn, interaction] of interactions.entries()) {
        const failing = isFailure(judgeTurn(interaction, threshold));
        yield { scenarioId: scenario.scenario_id, attempt, turn, failing };
      }
    }
  }
}

/** The failing turn after (or before) `from`, going round at the end. Null when nothing fails. */
export function neighbourFailure(
  rows: readonly ScenarioRow[],
  { from, step }: { from: TurnPlace; step: 1 | -1 },
): TurnPlace | null {
  const all = [...places(rows)];
  const start = all.findIndex(
    (place) => place.scenarioId === from.scenarioId && place.attempt === from.attempt && place.turn === from.turn,
  );
  for (let distance = 1; distance <= all.length; distance += 1) {
    const place = all[(start + step * distance + all.length * 2) % all.length];
    if (place?.failing) return place;
  }
  return null;
}
